#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# How polc is spoken to: a policy on standard input or from a pipe, `help`, and what it
# says to a word in the wrong place.
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
lib=$(cd "$(dirname "$0")/../lib" && pwd) || exit 1
cd "$P" || exit 1
printf 'policy x { level project }\ncommand { allow "ls" }\n' >p.pol

go() { # COMMAND…: runs polc; standard input is p.pol
	"$BIN/polc" "$@" <"$P/p.pol" >"$P/.out" 2>"$P/.err"
	rc=$? out=$(cat "$P/.out") err=$(cat "$P/.err")
}

t "a policy on standard input decides as the file does"
go check -
want_rc 0
go explain - argv -- ls
want_rc 0
go explain - argv -- frob
want_rc 3
go diff p.pol -
want_rc 0
want_out 'decide alike'
go compile -o stdin.polb -
want_rc 0
go compile --reproduce stdin.polb
want_rc 0
want_out '^reproduced'

t "no policy is named: what polrun would take here"
mkdir -p "$HOME/none" "$HOME/some/.pol"
printf 'policy x { level project }\ncommand { deny "frob:*" as no-frob }\ntest "x" { command "frob" => deny }\n' >"$HOME/some/.pol/a.pol"
cd "$HOME/some" || exit 1
go check
want_rc 0
want_err '^polc: no policy was named; here polrun takes \.pol/a\.pol, std/profile/local\.pol$'
go explain command 'frob x'
want_rc 1
want_out 'decided by no-frob'
go effective
want_rc 0
want_out 'no-frob'
cd "$HOME/none" || exit 1
go check
want_rc 2
want_err 'none is found here: name a FILE\.pol, or begin with polc init'
go explain command 'frob x'
want_rc 0
want_out 'std/profile/project\.pol'
go compile -o x.polb
want_rc 2
cd "$P" || exit 1

t "a fault in it has its place"
printf 'policy x { }\nnonsense {\n' >q.pol
"$BIN/polc" check - <q.pol >.out 2>.err
rc=$? err=$(cat .err)
want_rc 1
want_err '^<stdin>:2:1: error: .*P0016'

t "a pipe is read as a file is, also one that is slow"
go check --user <(
	sleep 0.3
	printf 'command { deny "ls" }\n'
)
want_rc 0
go explain --user <(printf 'command { deny "ls" }\n') p.pol argv -- ls
want_rc 1

t "nothing at the other end is no policy: the control is one empty file"
go check --user <(exit 1)
want_rc 2
want_err "is empty"
"$BIN/polc" check - </dev/null >.out 2>.err
rc=$? err=$(cat .err)
want_rc 2
want_err "'<stdin>' is empty"
mkfifo nobody.pol
timeout 5 "$BIN/polc" check nobody.pol >.out 2>.err
rc=$? err=$(cat .err)
want_rc 2
want_err "'nobody.pol' is empty"
go diff - -
want_rc 2
true >empty.pol
go check empty.pol
want_rc 0

t "help VERB is VERB --help; help alone is --help"
go help diff
want_rc 0
help=$out
go diff --help
[ "$help" = "$out" ] || bad "they differ"
go help
help=$out
go --help
[ "$help" = "$out" ] || bad "they differ"
go help dif
want_rc 2
want_err "did you mean 'diff'"
go help check diff
want_rc 2

t "a request in several words: both ways to write it are shown"
go explain p.pol command npm "it's" test
want_rc 2
want_err "write command 'npm it'\\\\''s test', or argv -- "
go explain p.pol command "npm it's test"
[ "$rc" -ne 2 ] || bad "the control: $err"

t "explain says what the gateway does with a connection"
printf '%s\n' 'network limited {' '  via "http://proxy.corp:3128"' '  allow tcp "a.example" port 443' \
	'  allow tcp "b.example" port 443 via none connections 5' '}' >n.pol
go explain n.pol net tcp a.example:443
want_out '^  gateway    via http://proxy\.corp:3128$'
go explain n.pol net tcp b.example:443
want_out '^  gateway    connections 5$'
go explain n.pol net tcp c.example:443
want_rc 1
no_out '^  gateway'

t "a file of another level in .pol/: what is true, and what to do"
mkdir -p .pol
printf 'policy x { level user }\ncommand { allow "ls" }\n' >.pol/u.pol
go check --discover
want_rc 1
want_err "declares level 'user' but lies in '.pol', whose files speak at level 'project'"
want_err "or move the file to '~/.config/pol'; or to '.pol/extra', which is read only where -p names it"
mkdir .pol/extra && mv .pol/u.pol .pol/extra/
go check --discover
want_rc 0
mv .pol/extra/u.pol .pol/
go check .pol/u.pol
want_rc 0
go check --project .pol/u.pol
want_rc 1
want_err "is named on the command line as 'project'"

t "names from elsewhere: the variable, the limit, what was meant"
printf 'policy m { level managed }\nenv { locked set TZ = "UTC" }\n' >m.pol
printf 'policy p { level project }\nenv { set TZ = "X" }\n' >e.pol
go check m.pol e.pol
want_rc 1
want_err "'TZ' is locked by level 'managed'"
printf 'policy a { }\nlimits { timeout 3s }\n' >l.pol
go check l.pol
want_rc 1
want_err "here it is called 'time'"
printf 'policy a { }\nenv { allow PATH }\n' >v.pol
go check v.pol
want_rc 1
want_err "keep \+= .NAME.' passes a variable on"

t "a bundle is the policy of one role, and answers for no other one"
printf 'policy r { level user }\ncommand { allow "ls" }\nrole x { command { allow "frob" } }\nrole y { }\n' >r.pol
go compile r.pol -o none.polb
want_rc 0
go compile r.pol --role x -o x.polb
want_rc 0
for words in 'explain --role x none.polb command frob' 'diff --role x none.polb none.polb' \
	'diff --role x r.pol none.polb' 'prove --role x none.polb never\ command\ "frob"' \
	'exposure --role x none.polb' 'effective --role x none.polb' \
	'check --role x none.polb --against x.polb' 'explain --role y x.polb command frob'; do
	eval "go $(printf '%s' "$words" | sed 's/"/\\"/g')"
	want_rc 2
	want_err "^polc: --role '[xy]': the bundle '(none|x)\.polb' was compiled for (no role|the role 'x')"
done
go explain --role x x.polb command frob
want_rc 0
go diff --role x r.pol x.polb
want_rc 0

t "the days of a bundle that its policy does not say"
go compile r.pol -o plain.polb
go compile r.pol -o soon.polb --expires 2998-01-01
go compile r.pol -o late.polb --expires 2999-01-01 --serial 2 --against soon.polb
go compile r.pol -o first.polb --not-before 2998-01-01
go compile r.pol -o begun.polb --not-before 2020-01-01
for pair in 'soon late' 'soon plain' 'first plain'; do
	go diff --fail-on=widening "${pair% *}.polb" "${pair#* }.polb"
	want_rc 1
	want_out '^looser: policy .*\(widening\)'
	go diff --fail-on=widening "${pair#* }.polb" "${pair% *}.polb"
	want_rc 0
	want_out '^tighter: policy '
done
go diff begun.polb plain.polb
want_rc 0
go diff --fail-on=widening soon.polb r.pol
want_rc 1
go check late.polb --against soon.polb
want_rc 1
go inspect late.polb
want_out 'looser: policy 2999-01-01'

t "a bundle whose tables are not those of its resolved policy"
sed 's/allow "ls"/allow "ls", "frob"/' r.pol >wide.pol
sed 's/allow "ls"/program frob { options -a: } &/' r.pol >facts.pol
{ cat r.pol && echo 'limits { time 5s }'; } >limit.pol
go compile r.pol -o r.polb
go diff r.polb r.pol
want_rc 0
for row in 'ir.json wide' 'commands.bin facts' 'limits.bin limit'; do
	other=${row#* } member=${row% *}
	go compile "$other.pol" -o "$other.polb" --serial 2
	python3 "$lib/mix.py" "$other.polb" r.polb mixed.polb "$member" || bad "mix.py $member"
	go diff --fail-on=widening mixed.polb "$other.pol"
	[ "$rc" -eq 5 ] || [ "$rc" -eq 1 ] || bad "$member: diff ends with $rc"
	want_out 'undecided: its tables, by which a run decides, are not those'
	go check mixed.polb --against r.polb
	[ "$rc" -eq 5 ] || [ "$rc" -eq 1 ] || bad "$member: check ends with $rc"
done
python3 "$lib/mix.py" wide.polb r.polb mixed.polb ir.json || bad "mix.py"
go prove mixed.polb 'always ask command "frob"'
want_rc 5
go compile wide.pol -o next.polb --serial 3 --against mixed.polb
want_rc 0
go inspect next.polb
want_out 'undecided'
for verb in effective exposure 'emit --to nft-host' 'exposure --max 1000'; do
	# shellcheck disable=SC2086
	go $verb mixed.polb
	want_err 'warning: mixed.polb: what is shown is its resolved policy'
	[[ $verb = emit* ]] || want_rc "$([[ $verb = *max* ]] && echo 5 || echo 0)"
	# shellcheck disable=SC2086
	go $verb r.polb
	no_err 'what is shown'
	[[ $verb = emit* ]] || want_rc 0
done

t "a rule that matches and does not count says why, and without it nothing changes"
printf 'policy m { level managed }\ncommand { final allow "frob" as fa }\n' >m.pol
printf 'policy u { level user }\ncommand { deny "frob" as no }\n' >u.pol
printf 'policy u { level user }\n' >without.pol
go explain --format json m.pol u.pol argv -- frob
want_rc 0
want_out '"id":"no",.*"idle":"below the final rule fa at m\.pol:2"'
go explain m.pol u.pol argv -- frob
want_out 'does not count: below the final rule fa'
go explain --format json m.pol without.pol argv -- frob
want_rc 0
[[ "$out" != *'"idle"'* ]] || bad "a rule that counts is idle: $out"

done_
