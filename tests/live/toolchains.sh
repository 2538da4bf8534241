#!/usr/bin/env bash
# The real work of cargo, go and Maven under the profiles, where Debian's packages of them
# are (./dev tools puts them there, some hundred megabytes); what is missing is said, and only that.
# week: once a week, as root and as a user in turn
# shellcheck disable=SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

there() { # PROGRAM
	[ -x "/usr/bin/$1" ] || { echo "note: no $1 from Debian: its work is not tried"; return 1; }
}
for profile in project offline-build; do
	printf 'policy u { level user }\nuse std/profile/%s\n' $profile >"$WORK/$profile.pol"
done
in_profile() { # PROFILE COMMAND…
	env PATH=/usr/bin:/bin "$BIN/polrun" -p "$WORK/$1.pol" "${@:2}" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err")
}
fresh() { rm -rf "${P:?}"/* && cd "$P" || exit 1; }
# The walls are there around it all: what a build script tries outside does not succeed.
OUT=$WORK/outside
mkdir -p "$OUT"

for profile in project offline-build; do
	if there cargo; then
		t "$profile: cargo builds and tests, and a build script has the run's walls"
		fresh
		mkdir src
		printf '[package]\nname = "rs"\nversion = "0.1.0"\nedition = "2021"\n' >Cargo.toml
		printf 'pub fn two() -> i32 { 2 }\n#[test]\nfn adds() { assert_eq!(two(), 2); }\n' >src/lib.rs
		printf 'fn main() { let _ = std::fs::write("%s/x", "x"); std::fs::write("made", "x").unwrap(); }\n' "$OUT" >build.rs
		in_profile $profile /usr/bin/cargo build --offline
		want_rc 0
		in_profile $profile /usr/bin/cargo test --offline
		want_rc 0
		want_out '1 passed'
		want_file made
		no_file "$OUT/x"
	fi
	if there go; then
		t "$profile: go builds, tests and runs, and a test has the run's walls"
		fresh
		printf 'module a\ngo 1.19\n' >go.mod
		printf 'package main\nimport "fmt"\nfunc Two() int { return 2 }\nfunc main() { fmt.Println("ran", Two()) }\n' >a.go
		printf 'package main\nimport ("os"; "testing")\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 || os.WriteFile("%s/x", nil, 0600) == nil { t.Fatal() }\n}\n' "$OUT" >a_test.go
		in_profile $profile go build ./...
		want_rc 0
		in_profile $profile go test ./...
		want_rc 0
		want_out '^ok'
		in_profile $profile go run .
		want_rc 0
		want_out '^ran 2$'
		no_file "$OUT/x"
		cp -a "$P" "$WORK/control" && (cd "$WORK/control" && go test ./... >/dev/null 2>&1) && bad "the control: outside the test cannot write there"
		rm -rf "$WORK/control" "$OUT/x"
	fi
done

repo=/usr/share/maven-repo/org/apache/maven/plugins/maven-surefire-plugin/2.22.3
if there mvn && { [ -e $repo ] || { echo "note: no plugins of Maven from Debian: its work is not tried"; false; }; }; then
	t "offline-build: Maven compiles and tests with what lies in the user's repository, and leaves it alone"
	fresh
	mkdir -p src/main/java/a src/test/java/a "$HOME/.m2"
	cp -rL /usr/share/maven-repo "$HOME/.m2/repository"
	printf 'package a;\npublic class A { }\n' >src/main/java/a/A.java
	printf 'package a;\npublic class ATest {\n@org.junit.Test public void is() { org.junit.Assert.assertNotNull(new A()); }\n}\n' >src/test/java/a/ATest.java
	cat >pom.xml <<-'EOF2'
		<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
		<groupId>a</groupId><artifactId>a</artifactId><version>1</version>
		<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target></properties>
		<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency></dependencies>
		<build><plugins>
		<plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin>
		<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
		<plugin><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin>
		</plugins></build></project>
	EOF2
	before=$(cd "$HOME/.m2" && find . -printf '%p %s %T@\n' | sort | sha256sum)
	in_profile offline-build mvn -o test
	want_rc 0
	want_out 'Tests run: 1, Failures: 0'
	want_file target/classes/a/A.class
	[ "$before" = "$(cd "$HOME/.m2" && find . -printf '%p %s %T@\n' | sort | sha256sum)" ] || bad "the repository has changed"
	in_profile project mvn -o test
	[ "$rc" -ne 0 ] || bad "the control: without its repository Maven works as well"
fi

t "who has none of them still has the rest"
fresh
in_profile project sh -c 'echo made >x'
want_rc 0
want_text made x
done_
