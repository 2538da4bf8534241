#!/usr/bin/env bash
# The policies of the standard library that people use: each passes its own tests, is enough as
# the one line of a project's policy, and gets along with all others; and its tests notice
# when a guard of it is gone.  Ends with "N passed, N failed, N skipped".
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
: "${BUILD:=$PWD/build/dev}"
polc=$BUILD/bin/polc
work=$(mktemp -d /var/tmp/pol-library.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT

ok() {
	printf 'ok   %s\n' "$1"
	count_pass
}
bad() { # NAME OUTPUT
	printf 'FAIL %s\n%s\n' "$1" "$(head -n 20 <<<"$2")"
	count_fail
}

# LEAST NAME…: policies that grant have so many tests, which pass.  600 MB of addresses: what one
# test needed is not held while the next runs.
tested() {
	local least=$1 f out status tests
	for f in "${@:2}"; do
		out=$(ulimit -v 600000 && "$polc" check "stdlib-policies/$f" 2>&1)
		status=$?
		tests=$(sed -n 's/.*; \([0-9]*\) tests passed, 0 failed$/\1/p' <<<"$out")
		if [ "$status" -eq 0 ] && [ "${tests:-0}" -ge "$least" ]; then
			ok "std/${f%.pol}: its $tests tests"
		else
			bad "std/${f%.pol}: its own tests (${tests:-0})" "$out"
		fi
	done
}
mapfile -t ready < <(cd stdlib-policies && ls cmd/*.pol dev/*.pol)
mapfile -t agents < <(cd stdlib-policies && ls agent/*.pol agent/program/*.pol)
# std/profile/environment decides nothing: it says which variables a command has (tests/live/env.sh).
mapfile -t profiles < <(cd stdlib-policies && find profile -name '*.pol' ! -name environment.pol | sort)
tested 30 "${ready[@]}"
tested 10 "${agents[@]}"
tested 8 "${profiles[@]}"
mapfile -t caches < <(cd stdlib-policies && ls cache/*.pol)
tested 2 "${caches[@]}"
# The rest are facts.
for f in stdlib-policies/{base,floor,net/*,unix/*,syscalls/*,commands/*}.pol; do
	if out=$("$polc" check "$f" 2>&1); then ok "$f"; else bad "$f" "$out"; fi
done

# As the one line of a policy, and together, in either order.
compiles() { # NAME LINE…
	local name=$1
	shift
	printf '%s\n' "$@" >"$work/$name.pol"
	if out=$("$polc" compile "$work/$name.pol" -o "$work/$name.polb" 2>&1); then
		ok "$name: compiles"
	else
		bad "$name: compiles" "$out"
	fi
}
for f in "${ready[@]}"; do
	compiles "$(basename "$f" .pol)" "use std/${f%.pol}"
done
all=("${ready[@]/#/use std/}" "use std/agent/claude-code" "use std/agent/codex" "use std/agent/gemini-cli" "use std/agent/cursor" "use std/agent/qwen-code"
	"use std/agent/opencode" "use std/agent/copilot-cli" "use std/agent/pi")
mapfile -t back < <(printf '%s\n' "${all[@]%.pol}" | sort -r)
compiles all "${all[@]%.pol}"
compiles backwards "${back[@]}"

# BUNDLE EFFECT LINE…: what is decided, in the sandbox and as an agent's hook asks.
decided() {
	local name=$1 want=$2 scope=$3 line
	shift 3
	for line in "$@"; do
		out=$(printf '{"id":1,"kind":"command","line":"%s","cwd":"/home/u/p","project":"/home/u/p","home":"/home/u"}\n' \
			"$line" | "$BUILD/bin/polquery" --bundle "$work/$name.polb" --scope "$scope")
		if [[ $out == *"\"effect\":\"$want\""* ]]; then
			ok "$name ($scope): $line: $want"
		else
			bad "$name ($scope): $line: $want" "$out"
		fi
	done
}
decided node allow sandbox 'npm test' 'node a.js' 'ls -la' 'git status' 'mkdir build'
decided node allow sandbox 'npm install x' 'rm -r lib' 'sh run.sh' './run.sh' 'node -e 1' 'git restore a'
decided node ask sandbox 'npm publish' 'git push' 'git reset --hard' 'rm -r .git' 'ssh a.example ls'
decided node ask host 'node a.js' 'npm ci'
decided all allow sandbox 'npm test && cargo test && go test ./... && pytest && make' 'git commit -m x'
decided all ask sandbox 'npm publish' 'cargo publish' 'twine upload x' 'git push' 'mvn deploy' 'rm -rf /' 'gh pr create'
decided all allow sandbox 'pip install x' 'curl a.example' 'sudo ls'
decided all deny sandbox 'echo x > .git/hooks/pre-commit'
decided all ask host 'node a.js' 'python3 a.py' './a.out' 'cp a b; sh b'
decided all ask host 'go build -o ~/.local/bin/ls .' 'make -C /tmp/x' 'cd /tmp/x && make' 'git checkout Makefile' \
	'git apply a.patch' 'go run a.go'
decided all deny host 'cp a .git/hooks/post-commit' 'cat ~/.ssh/id_ed25519' 'echo x > /proc/sys/kernel/core_pattern' 'echo b > /proc/sysrq-trigger' 'cat < /proc/self/environ' \
	'echo x > x/.git/config' 'echo x > /dev/pts/0'
decided all allow host 'go build -o a .' 'make -C build' 'cd src && make' 'git checkout main' 'cat /proc/cpuinfo' \
	'echo x > /dev/null'
decided all allow sandbox 'echo 1 > /proc/self/oom_score_adj' 'cd /tmp && ls'

# The program of an agent, as the one line of a policy, beside the profile that it uses.
for f in stdlib-policies/agent/program/*.pol; do
	f=${f#stdlib-policies/} f=${f%.pol}
	compiles "program-$(basename "$f")" "use std/$f"
	compiles "program-$(basename "$f")" "use std/profile/project, std/$f" 'network full'
done

# A registry is reached only where a policy says both: the mode, and the registry.
net_test='test "n" { net tcp "registry.npmjs.org" port 443 => allow  net tcp "a.example" port 443 => deny }'
compiles registry 'use std/dev/node, std/net/npm' 'network limited' "$net_test"
for line in 'use std/dev/node, std/net/npm' 'use std/dev/node, std/net/pypi network limited'; do
	printf '%s\n%s\n' "$line" "$net_test" >"$work/none.pol"
	out=$("$polc" check "$work/none.pol" 2>&1)
	if grep -q 'this is deny, not allow' <<<"$out"; then
		ok "$line: no registry"
	else
		bad "$line: no registry" "$out"
	fi
done

# Each list of hosts holds what its name says, and only where the mode is limited.
while read -r name host port other; do
	compiles "net-$name" "use std/net/$name" 'network limited' \
		"test \"n\" { net tcp \"$host\" port $port => allow  net tcp \"$other\" port $port => deny
			net tcp \"x.$host\" port $port => deny  net udp \"$host\" port $port => deny }"
	printf 'use std/net/%s\ntest "n" { net tcp "%s" port %s => allow }\n' "$name" "$host" "$port" >"$work/none.pol"
	out=$("$polc" check "$work/none.pol" 2>&1)
	if grep -q 'this is deny, not allow' <<<"$out"; then
		ok "std/net/$name grants nothing by itself"
	else
		bad "std/net/$name grants nothing by itself" "$out"
	fi
done <<'ROWS'
npm registry.npmjs.org 443 pypi.org
pypi files.pythonhosted.org 443 registry.npmjs.org
crates index.crates.io 443 pypi.org
go sum.golang.org 443 pypi.org
maven repo1.maven.org 443 pypi.org
debian security.debian.org 80 pypi.org
code-hosts codeberg.org 22 pypi.org
default-domains ghcr.io 443 registry.npmjs.org
ROWS
# An empty list allows nothing.
compiles net-none 'network limited { }' 'test "n" { net tcp "github.com" port 443 => deny  net tcp 192.0.2.1 port 443 => deny }'
compiles project-net 'use std/profile/project-net' 'network { allow tcp "api.example.com" port 443 }' \
	'test "n" { net tcp "api.example.com" port 443 => allow  net tcp "registry.npmjs.org" port 443 => allow
		net tcp "b.example.com" port 443 => deny }'
# The agent is there only where a policy says so, and polc says what that gives.
agent_test='test "a" { unix "${SSH_AUTH_SOCK}" => allow  unix "/run/docker.sock" => deny }'
compiles ssh-agent 'use std/dev/git, std/unix/ssh-agent' "$agent_test"
printf '%s\n' 'use std/dev/git' "$agent_test" >"$work/none.pol"
out=$("$polc" check "$work/none.pol" "$work/ssh-agent.pol" 2>&1)
if grep -q 'this is deny, not allow' <<<"$out" && grep -q 'P0450' <<<"$out" && ! grep -q 'P0451' <<<"$out"; then
	ok "std/dev/git alone: no agent"
else
	bad "std/dev/git alone: no agent" "$out"
fi

# A guard, an exception or an ask that is gone is noticed by the file's own tests.
mutant() { # FILE SED-SCRIPT: of its rules, not of its tests
	local copy=$work/mutant.pol
	sed "1,/^test /{$2
	}" "stdlib-policies/$1" >"$copy"
	if cmp -s "$copy" "stdlib-policies/$1"; then
		bad "$1: the mutant '$2' changes nothing" ''
	elif out=$("$polc" check "$copy" 2>&1); then
		bad "$1: the mutant '$2' passes" "$out"
	elif grep -q 'P0601' <<<"$out"; then
		ok "$1: the mutant '$2' fails"
	else
		bad "$1: the mutant '$2' is no policy" "$out"
	fi
}
for word in -delete -fprint -fprint0 -fprintf -fls -R; do
	mutant cmd/read-only.pol "s/ $word\\([, ]\\|\$\\)/ --no-such\\1/"
done
mutant cmd/read-only.pol 's/-o, --output, --comp/--comp/'
for word in --textconv --filters --show-signature --help --output; do
	mutant cmd/vcs-read.pol "s/ $word\\([, ]\\|\$\\)/ --no-such\\1/"
done
mutant cmd/vcs-read.pol 's/ -O, --open-files-in-pager,/ -1,/'
mutant cmd/vcs-read.pol 's/"--format=[^"]*"/-1/'
mutant cmd/vcs-read.pol 's/"--format=\*%(signature\*"/-1/'
mutant cmd/build-test.pol 's/ --gdb, / /'
mutant cmd/build-test.pol 's/without --init-hook/without -1/'
for f in go java node python rust git project; do
	mutant "dev/$f.pol" 's/ when scope == host//'
done
mutant dev/project.pol 's/ when scope == sandbox//'
mutant dev/project.pol 's/opaque allow/opaque ask/'
# of what an agent's program has in HOME only the login is written
for f in claude-code codex gemini-cli cursor; do
	mutant "agent/program/$f.pol" 's/allow read, exec "/allow read, write, exec "/;s/allow read  *"/allow read, write "/'
	mutant "agent/program/$f.pol" 's/allow read, write "/allow read "/'
done
mutant agent/program/claude-code.pol 's/allow read "${HOME}\/.claude.json".*/allow read, write "${HOME}\/.claude.json",/'
mutant agent/program/claude-code.pol 's/"${HOME}\/.claude\/settings.json", //'
mutant cmd/build-test.pol 's/{\/\*|..|/{..|/'
mutant cmd/build-test.pol 's/\*\[=:,\]\/\*/*x/g'
mutant cmd/read-only.pol 's/ within "${PROJECT_DIR}" when/ when/'
mutant agent/claude-code.pol 's/"Skill" { risk/"Skill" { allow risk/'
mutant agent/claude-code.pol 's/"ExitPlanMode" { allow/"ExitPlanMode" {/'
mutant agent/claude-code.pol 's/"Agent" { allow/"Agent" {/'
mutant agent/codex.pol 's/"request_permissions" { risk/"request_permissions" { allow risk/'
mutant agent/gemini-cli.pol 's/"grep_search" { risk/"grep_search" { allow risk/'
mutant agent/cursor.pol 's/"Grep" { risk/"Grep" { allow risk/'
mutant dev/project.pol 's/"git {push|/"git {/'
mutant dev/project.pol 's/ with --hard / with --no-such /'
mutant dev/node.pol 's/"npm {publish|/"npm {/'
mutant dev/project.pol 's/"cargo {publish|/"cargo {/'
# The same of the base, word by word.
out=$(python3 tests/conformance/base_mutants.py 2>&1)
status=$?
grep -A 3 '^FAIL' <<<"$out" | head -n 40
count_add_line "$(tail -n 1 <<<"$out")" "$status" "std/base without one of its words"
count_end
