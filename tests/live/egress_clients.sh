#!/usr/bin/env bash
# lab: web ssh npm
# long: every fourth day, as root and as a user in turn
# timing: a refusal must be quick, and a loaded machine is not
# Programs as people use them, with no proxy variable: an allowed name works, another is refused at
# once and named with its rule.  The control of each refusal: outside it is reached.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/egress.sh
. "$(dirname "$0")/../lib/egress.sh"

# Tools write their caches into the project, which the policy lets them.
cat >"$WORK/env.pol" <<EOS
env {
	set NODE_EXTRA_CA_CERTS = "$P/ca.pem"
	set npm_config_cache = "$P/.npm"
	set npm_config_update_notifier = "false"
	set PIP_DISABLE_PIP_VERSION_CHECK = "1"
	set PIP_NO_CACHE_DIR = "1"
	set CARGO_HOME = "$P/cargohome"
	set RUSTC_BOOTSTRAP = "1"
	set GOPATH = "$P/go"
	set GOCACHE = "$P/gocache"
	set GOFLAGS = "-modcacherw"
	set GONOSUMDB = "*"
	set GIT_CONFIG_NOSYSTEM = "1"
}
EOS
cp "$LAB/ca.pem" "$LAB/known_hosts" "$P/"
install -m 0600 "$LAB/keys/ssh_user" "$P/key"
# The same for the controls.
set -a
eval "$(sed -n 's/^\tset \([A-Za-z_]*\) = /\1=/p' "$WORK/env.pol")"
set +a

ALLOWED='	allow tcp "a.example", "code.example" as site
	allow tcp "echo.example" port 9000 as echo'
net_policy "$ALLOWED
}
$(cat "$WORK/env.pol")
network {" p
net_policy "	allow tcp \"registry.npmjs.org\", \"pypi.org\", \"files.pythonhosted.org\", \"index.crates.io\", \"static.crates.io\", \"proxy.golang.org\" port 443 as registries
}
$(cat "$WORK/env.pol")
network {" registries
net_policy "	allow tcp \"a.example\" as site
}
$(cat "$WORK/env.pol")
network {" none

ms_now() { printf '%d' $((${EPOCHREALTIME/[.,]/} / 1000)); }

SSH="ssh -F none -i $P/key -o UserKnownHostsFile=$P/known_hosts -o BatchMode=yes -o ConnectTimeout=10"
# CLIENT|ALLOWED HOST|REFUSED HOST|COMMAND, @ is the host|what it prints
cat >"$WORK/clients" <<EOS
curl|a.example|evil.example|curl -sS --max-time 10 https://@/|sni=@ host=@
curl, plain|a.example|evil.example|curl -sS --max-time 10 http://@/|host=@
curl, IPv6|a.example|evil.example|curl -6 -sS --max-time 10 https://@/|sni=@ host=@
wget|a.example|evil.example|wget -qO- -T 10 -t 1 --ca-certificate=$P/ca.pem https://@/|host=@
openssl|a.example|evil.example|printf 'GET / HTTP/1.0\r\nHost: @\r\n\r\n' \| openssl s_client -quiet -verify_return_error -CAfile $P/ca.pem -servername @ -connect @:443 2>&1|sni=@ host=@
python, TLS|a.example|evil.example|python3 -c 'import urllib.request as u; print(u.urlopen("https://@/", timeout=10).read().decode())'|host=@
python, a socket|echo.example|evil.example|python3 -c 'import socket; s = socket.create_connection(("@", 9000), 10); s.sendall(b"hello"); print(s.recv(9).decode())'|hello
node, fetch|a.example|evil.example|node -e 'fetch("https://@/").then(r => r.text()).then(console.log)'|host=@
node, a socket|echo.example|evil.example|node -e 'let s = require("net").connect(9000, "@"); s.on("data", d => { console.log(String(d)); s.end() }); s.write("hello")'|hello
git, https|code.example|github.com|c=\$(mktemp -d) && git clone -q https://@/repo.git \$c/c && cat \$c/c/README|cloned
git, ssh|code.example|github.com|c=\$(mktemp -d) && GIT_SSH_COMMAND='$SSH' git clone -q ssh://git@@/~/repo.git \$c/c && cat \$c/c/README|cloned
ssh|code.example|github.com|$SSH git@@ echo hello|hello
C, static|a.example|evil.example|$D tcp @ 80 'GET / HTTP/1.0\\r\\nHost: @\\r\\n\\r\\n'|^OK HTTP/1.1 200
getent|a.example|evil.example|getent ahosts @|STREAM +@
dig|a.example|evil.example|dig +noall +answer +comments @|^@\.\s.*IN\s+A\s
EOS

# as `run`, with the milliseconds in $took
inside() {
	local begun
	begun=$(ms_now)
	run "$@"
	took=$(($(ms_now) - begun))
}

# Outside both hosts; inside the one.
allowed_and_refused() { # NAME ALLOWED REFUSED COMMAND PATTERN
	local good=${4//@@/$'\1'} evil=${4//@@/$'\1'}
	good=${good//@/$2} evil=${evil//@/$3}
	good=${good//$'\1'/@$2} evil=${evil//$'\1'/@$3}
	t "$1: $2 works, $3 does not"
	outside bash -c "$evil"
	want_out "${5//@/$3}"
	inside bash -c "$good"
	want_rc 0
	want_out "${5//@/$2}"
	no_err 'blocked'
	forget
	inside --explain-denials bash -c "$evil"
	no_out "${5//@/$3}"
	[ "$1" = dig ] && want_out 'status: NXDOMAIN' || { [ "$rc" -ne 0 ] || [ "$1" = 'C, static' ] || bad "it succeeded"; }
	want_line "blocked: resolve $3: rule network-mode"
	nothing_left 198.51.100.66
	nothing_left 198.51.100.34
	nothing_left 2001:db8:66::66
	[ "$took" -lt 5000 ] || bad "the refusal took $took ms"
}
while IFS= read -r row; do
	row=${row//\\|/$'\2'}
	IFS='|' read -r name allowed refused command pattern <<<"$row"
	allowed_and_refused "$name" "$allowed" "$refused" "${command//$'\2'/|}" "$pattern"
done <"$WORK/clients"

t "a C program is refused within $FAST ms: the name, a port of an allowed name, an address"
refused_fast NXDOMAIN tcp evil.example 443
refused_fast NXDOMAIN dns evil.example 1
refused_fast NXDOMAIN dns evil.example 28 tcp
refused_fast ECONNREFUSED tcp echo.example 9001
refused_fast ECONNREFUSED tcp 198.51.100.66 443
refused_fast ECONNREFUSED tcp 2001:db8:66::66 443
for to in "echo.example 9001" "198.51.100.66 443" "2001:db8:66::66 443"; do
	# shellcheck disable=SC2086
	outside "$D" tcp $to
	want_out '^OK '
done

t "curl, git and ssh are refused within $FAST ms by their own clock"
quick() { # HOST:PORT COMMAND…: where it has %; in a run, the quickest of three
	local to=$1 clock='for i in 1 2 3; do
		s=${EPOCHREALTIME/[.,]/}; "$@" >/dev/null 2>&1 && echo worked; e=${EPOCHREALTIME/[.,]/}
		echo $(((e - s) / 1000)); done' own refused
	shift
	run bash -c "$clock" - "${@//%/127.0.0.1:1}"
	no_out worked
	own=$(sort -n <<<"$out" | head -n 1)
	run bash -c "$clock" - "${@//%/$to}"
	no_out worked
	refused=$(sort -n <<<"$out" | head -n 1)
	[ "$refused" -le $((own * 3 + FAST)) ] || bad "$1 needed at least $refused ms, and $own on the own loopback"
}
# a port of the own loopback where nobody listens says what these programs need for themselves
quick evil.example:443 curl -s https://%/
quick echo.example:9001 curl -s http://%/
quick github.com:443 git ls-remote https://%/repo.git
# shellcheck disable=SC2086
quick github.com:22 $SSH ssh://git@% true
# shellcheck disable=SC2086
quick echo.example:9001 $SSH ssh://git@% true

t "no proxy variable"
run env
want_out '^PATH='
no_out -i '_proxy='
run sh -c 'cat /etc/resolv.conf'
want_out '^nameserver 127.0.0.1$'

# A registry's client, with the registry allowed and with none; the control is that outside it works.
registry() { # NAME HOST COMMAND PATTERN
	t "$1: works by the registry's own name, and not without the rule"
	outside bash -c "$3"
	want_rc 0
	want_out "$4"
	run_with registries bash -c "$3"
	want_rc 0
	want_out "$4"
	forget
	run_with none --explain-denials bash -c "$3"
	[ "$rc" -ne 0 ] || bad "it worked without a rule"
	no_out "$4"
	want_err "blocked: resolve $2( .[0-9]+ times.)?: rule network-mode"
	nothing_left "$(awk -v n="$2" '$2 == n { print $1 }' "$LAB/names/real")"
}

if [ -d "$LAB/npm" ] && command -v npm >/dev/null; then
	mkdir -p "$P/js"
	echo '{"name":"x","version":"1.0.0","dependencies":{"pad":"1.0.0"}}' >"$P/js/package.json"
	(cd "$P/js" && npm install --package-lock-only >"$WORK/.npm" 2>&1) || bad "no lock file: $(cat "$WORK/.npm")"
	registry 'npm ci' registry.npmjs.org 'cd js && rm -rf node_modules ../.npm && npm ci --fetch-retries=0 --no-audit --no-fund >&2 && node -p "require(\"pad\")(1)"' '^padded 1$'

	t "the library's own policies: npm ci works with std/net/npm, and not without it"
	for net in 'use std/dev/node, std/net/npm' 'use std/dev/node'; do
		printf 'policy u { level user }\n%s\nnetwork limited { allow tcp "a.example" }\nenv { set NODE_EXTRA_CA_CERTS = "%s/ca.pem"  set NPM_CONFIG_FETCH_RETRIES = "0" }\n' "$net" "$P" >"$WORK/u.pol"
		rm -rf "$P/js/node_modules"
		(cd "$P" && "$BIN/polrun" -y -p "$WORK/u.pol" sh -c 'cd js && npm ci') >"$WORK/.out" 2>"$WORK/.err" </dev/null
		rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err")
		if [[ $net = *npm ]]; then
			want_rc 0
			want_file "$P/js/node_modules/pad/i.js"
		else
			[ "$rc" -ne 0 ] || bad "it worked without the list"
			want_err 'registry.npmjs.org'
			no_file "$P/js/node_modules/pad/i.js"
		fi
	done
else
	skip npm "npm or its registry is not here"
fi
if command -v pip3 >/dev/null; then
	registry 'pip install' pypi.org 'rm -rf py && pip3 install -q --retries 0 --target py pad >&2 && PYTHONPATH=py python3 -c "import pad; print(pad.pad(\"1\"))"' '^padded 1$'
else
	skip pip "not installed"
fi
there() { # PROGRAM
	[ -x "/usr/bin/$1" ] || { echo "note: no $1 from Debian: its work is not tried"; return 1; }
}
if there cargo; then
	mkdir -p "$P/rs/src"
	printf '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\npad = "1"\n' >"$P/rs/Cargo.toml"
	echo 'fn main() {}' >"$P/rs/src/main.rs"
	mkdir -p "$P/cargohome"
	printf '[net]\nretry = 0\n' >"$P/cargohome/config.toml"
	registry 'cargo fetch' index.crates.io 'cd rs && rm -rf Cargo.lock ../cargohome/registry && cargo -Z sparse-registry fetch >&2 && ls ../cargohome/registry/cache/*/' '^pad-1.0.0.crate$'
fi
if there go; then
	mkdir -p "$P/golang"
	printf 'module x\n\ngo 1.19\n\nrequire lab.example/pad v1.0.0\n' >"$P/golang/go.mod"
	registry 'go mod download' proxy.golang.org 'cd golang && rm -rf ../go && go mod download -x lab.example/pad >&2 && ls ../go/pkg/mod/lab.example' '^pad@v1.0.0$'
fi
if there java; then
	cat >"$P/Get.java" <<-'EOS'
	import java.net.URI;
	import java.net.http.*;
	public class Get {
		public static void main(String[] a) throws Exception {
			var c = HttpClient.newHttpClient();
			System.out.println(c.send(HttpRequest.newBuilder(URI.create(a[0])).build(), HttpResponse.BodyHandlers.ofString()).body());
		}
	}
	EOS
	if command -v javac >/dev/null && (cd "$P" && javac Get.java 2>/dev/null); then
		allowed_and_refused java a.example evil.example 'java -Xshare:auto Get http://@/' 'host=@'
	fi
fi
done_
