"""Lines for shell.py that set variables and use them: every way in which a value may reach
a word, or may be lost before it does.

No text that is evaluated a second time runs a program, so that all programs of a line are
in its words.
"""
from shell_lines import Lines

NAMES = ["A", "B", "C", "v", "e", "u"]
# What the shell does to a name A; @ is a value, # another name.
ODD = r"""A=z; A=@ B=$(p1 "$A")|A=z; A=@ B=$(p1 $A) C=x|A=z; A=@ B=`p1 "$A"`; p1 $A|A=z; A=@ C="$(p1 x$A)"|A=z; A=@ B=x$(p1 $A) p2 $A|A=z; B=1 A=@ C=$(p1 $A $B)|A=2; : <<E\n$((A=5))\nE\np1 $A|A=2; read B <<E\n$((A=5))\nE\np1 $A|A=2; { : $((A=5)); } <<E\n$((A))\nE\np1 $A|A=1; A=$((A+1))|A=1; p1 $((A+1)) $A|A=1; B=$((A*2)); p1 $B "$B"|A=1; p1 $((A=A+1)) $A|A=1; A=$(($A + 1)); p1 x$A|A=0; while [ $A -lt 3 ]; do p1 $A; A=$((A+1)); done
A=1; : $((B=5)); p1 $B|A=1; A=@ B=$((A))|A=1; B=@ C=$((B=5)); p1 "$B"|A=1; A=x B=$((A=5)); p1 "$A"|A=1 B=$((A+1)) p1 $B|A=-1; p1 $((2-$A))|A=-1; p1 $((2 - $A)) $((A-1))|A=08; p1 $((A+1))|A=1; p1 $((A+)); p2 $A
A=5; B=3; p1 $((A % 2)) $((A/2)) $((B - A)) $(( A > B && B < 3 ))|A=4; f() { A=$((A-1)); p1 $A; }; f; f|A=$#; p1 $((A+1)) $A|A=$?; p1 $A|A=$$; p1 x$A|A=1; { A=$((A+1)); } >/none/x; p1 $A|for A in 1 2; do p1 $((A+1)); B=$((A)); done
A=2; p1 $((0 && (A=7))) $A|A=2; p1 ${nope:-$((A=7))} $A|A=2; body <<E\n$((A=A+1))\nE\np1 $A|A=2; { p1; } >f$((A=A+1)); p1 $A|A=2; p1 >f$((A=A+1)); p1 $A|A=2; A=x >f$((A=5)); p1 $A|A=1; B=A; p1 $((B))|A=1; p1 $((10/A)) $((A/0)); p2 $A
A=1; (A=$((A+1)); p1 $A); p2 $A|A=1; p1 $(p2 $((A+1))) $A|A=1; p1 | A=$((A+1)); p2 $A|A=1; case $((A+1)) in 2) A=$((A+5));; esac; p1 $A|A=1; A="$A"5; p1 $((A+1))|A='1+1'; p1 $((A*2))|A="1 "; p1 $((A))|A=; p1 $((A+1))
read A <<E\n@\nE|unset A|unset -v A|export A|export A=@|export A="$#"|export A=$#|readonly A|readonly A=@|eval A=@
eval "A=@"|eval unset A|. ./set|: ${A:=@}|: "${A=@}"|: ${A:-@}|: $((A=5))|: $((A+1))|trap 'A=@' EXIT|A=@ p1 "$A"|A=@ :|A=@ ok
A=@ f|A=@ eval :|A=@ export B|A=@ B=$A|A=@ B="$A$A" p2 $B|IFS=:|IFS=|unset IFS|IFS=a|set -- @|set -a|set -f|set -u|set -e|set -o noglob
command export A=@|command eval A=@|command unset A|command : A=@|getopts ab A -a|getopts a A|cd .|true A=@|PWD=@|A=@ >/none/x|{ A=@; } </none/x|export A=@ >/none/x|A=@ 2>/dev/null|{ A=@; } 2>&1|{ A=@; } >&2|f() { A=@; } </none/x|if ok; then A=@; fi </none/x|for A in @ #; do :; done </none/x|HOME=@|A="$A$A"
A=$A$#|A=$A/x|A=x$A|A=$(say @)|A=`say @`|A=$(A=@; p1 "$A")|B=@ A=$(p1 "$B")|A=~|A=~/x|A=\\$B|A='$B'|A=$1|A=$?|A=$$|A=${#}|A=${#B}|A=${B%x}
say @ | read A|say @ | { read A; p1 "$A"; }|{ A=@; } | p1|p1 | A=@|p1 | { A=@; p2 "$A"; }|(A=@)|( A=@; p1 "$A" )|{ A=@; } &\nwait|A=@ &\nwait
A=@ >f|A=@ p1 >"$A"|p1 >"x$A"|p1 "$A" >"$A"|{ A=@; p1 "$A"; } >"$A"|A=@; alias z='A=#'\nz|unalias -a|exec 3>f|f() { A=@; }|f() { p1 "$A"; }
f() { local A; p1 "$A"; }|f() { local A=@; p1 "$A"; g; }|g() { A=@; }|f() { local A=@; f2; p1 $A; }; f2() { A=@; }|f() { unset A; }|f() (A=@; p1 "$A")
f() { for A in @ "$1"; do p1 "$A"; done; }|f() { return; A=@; }|f() { p1 "$A"; }; A=@; f|f() { p1 "$A"; A=@; }; f; f|A=; : ${A:=@}|A=; p2 "${A:=@}"|f|g|f; g|f "$A"|f && g|ok && f|f | p1|(f)|$(f)|: $(f)|p1 "$(f)"|f &\nwait|local A=@
p1 "$1" $0|A=$1; p1 $A|p1 "${1}" x$0 "$2"|p1 $2|set -- @; p1 "$1"|set @ #; p1 $1 $2|set -e; p1 "$1"|set -eo noglob; p1 "$1"|set +x -- @; p1 $1|shift; p1 "$1"|shift 0; p1 $1|f() { p1 "$1"; }; f @; p2 $1|for A in "$1" "$2"; do p1 "$A"; done
for A do p1 "$A" "$1"; done|$1 x|"$1"|$0 x|f() { set -- @; }; f; p1 $1|ok && set -- @; p1 "$1"|(set -- @); p1 "$1"|set -- $A; p1 $1|set $A; p1 $1|set "$A"; p1 "$1"|command set -- @; p1 "$1"|command shift; p1 "$1"|eval 'set -- @'; p1 $1|. ./set; p1 $1
x=set; $x -- @; p1 "$1"|x=shift; "$x"; p1 $1|p1 $(set -- @; p2 $1) $1|p1 | set -- @; p2 $1|set -; p1 "$1"|set - @; p1 $1|set --; p1 "$1"|set -u --; p1 "$0"|set; p1 $1|set -o; p1 $1|getopts ab A; p1 "$1"|while shift; do p1 "$1"; done|trap 'shift; set -- @' EXIT; p1 "$1"|A=$0; "$A" x
p1 "${1:-@}" ${10} $10 $#|p1 "$@"|p1 $*|A=$1$2; p1 "$A"|case $1 in p2) A=@;; esac; p1 $A|body <<E\n$1 $2\nE|p1 >f"$1"|[ "$1" = p2 ] && p1 $1|A=$1; set -- @; p1 $A|command() { :; }|read() { :; }|x=A; eval $x=@|x=export; $x A=@|x='export A=@'; $x|x="A=@"; $x|x="A=@"; eval "$x"|x=unset; "$x" A
return|exit|break|continue|break 2|f() { break; }|shift|command -v A|test -n "$A"|[ "$A" = @ ]|[ $A = @ ]|[ -n "$A" ] && B=@|times|umask|exec 4<&0|PATH=/stub
trap 'A=@' USR1; kill -USR1 $$|trap 'A=@' EXIT|trap - EXIT|trap '' INT|printf '' A|printf "$A"|body <<E\n$A @\nE|body <<'E'\n$A @\nE|body <<E; A=@\n$(p1 "$A") $A\nE
body <<E\n${A:=@}$A\nE|for A in; do :; done|for A in @ #; do p1 "$A"; done|for A in @ "$#"; do :; done|for A in $A @; do p1 $A; done|for A do p1 $A; done|for A in *; do p1 "$A"; done
case $A in @) B=@;; *) B=#;; esac|case @ in $A) B=1;; esac|case x in x) A=@;; esac|case "${A:=@}" in *) :;; esac|while no; do A=@; done|until ok; do A=@; done
while ok; do p1 "$A"; A=@; break; done|while ok; do A=@; break; A=#; done|for i in 1 2 3; do p1 "$A" $i; A=@$i; done|for i in 1 2; do for A in @ x; do B=$A; done; p1 $A $B; done
A=@ command eval :|A=@ . ./none|A=@ exec p1 "$A"|A=@ command p1 $A|env A=@ p1 "$A"|A=@; p1 "$A" $A|A=@ && p1 $A|A=@ || p1 $A|no || A=@|ok && A=@|no && A=@|! A=@|A=@; B=$A; p1 "$B/$A"
ok && A=@ || A=#|no && A=@ || A=#|no && A=@ && p1 "$A" || p2 "$A"|if no; then A=@; elif ok; then A=#; else A=z; fi|if A=@; then p1 $A; fi|if no; then A=@; fi|{ A=@; p1 $A; } | p2
A="a b"; p1 $A "$A"|A="p2 z"; $A x|A=" a  b "; p1 x$A y$A"$A"|A="a b" B="c d"; p1 $A$B|A="a b"; for B in $A; do p1 "$B"; done|A="a b"; p1 x$A/y "$A"$A|A="a\nb c"; p1 $A|A="export B=@"; $A; p1 "$B"|A="B=@ C=x"; export $A; p1 "$B" $C|A="-v B"; unset $A; p1 "$B"|A="a b"; [ $A = x ]; p1 $A
A="a b"; p1 $A >$A|A="p1 x" B=y $A; p2 $B|A="a b"; IFS=b; p1 $A|IFS=b; A="a b"; p1 $A|A="a b"; p1 ""$A $A""|A="a b"; while ok; do p1 $A; A="c $A"; break; done; p2 $A|A="a b"; f() { p1 $A; }; f; A="c d"; f|A="a *"; p1 $A|A='a\b c'; p1 $A|A="a b"; B=$A; p1 $B "$B"|A="A=@ B"; $A; p1 $A|A="unset B"; B=x; $A; p1 "$B"|A="p1 \$B c"; $A
for A in "a b" c; do p1 $A; done|A="a b"; (A="c d"; p1 $A); p2 $A|A="if ok"; $A; p1 $A|A="{a,b} c"; p1 $A|A="~ b"; p1 $A|A="a b"; p1 ${A} {$A,x}|A="a b"; ok && p1 $A || p2 $A|A="# b"; p1 $A|A="p1 a; p2 b"; $A|A="a b"; p1 $A$#|A="a b"; shift $A|A="a b c d e f g h i j k l m n o p q"; for B in $A; do p1 $B; done
case $v in a) A=@;; *) A=#;; esac|case $v in *) A=@;; esac|case $v in a) A=@;; b) ;; *) :;; esac|case $v in a) A=@;; "*") A=#;; esac|case $v in a) A=@;; \*) A=#;; esac|case $v in a) for i in 1; do A=@; break; done;; *) A=#;; esac|case $v in *) A=@;; b) A=#;; esac|case a in a|*) A=@;; esac|case x in y) A=@;; *) case $v in b) A=#;; *) A=z;; esac;; esac|for i in a b; do case $i in a) A=@;; *) p1 "$A"; continue;; esac; done
f() { case $1 in a) A=@; return;; *) A=#;; esac; }; f a; p1 $A|case $v in a) (A=@);; *) A=#;; esac|case $v in a) A=@ & wait;; *) A=#;; esac|case ${A:=@} in x) A=#;; *) ;; esac|case $v in $((B=5))) A=@;; *) A=#;; esac; p1 $B|IFS=: read B C <<E\n@:#\nE
$(A=@)|$A|"$A" x|$A$B|A=p2; $A x|A=p2; B="$A"; "$B" x|A='p2 x'; $A|A='p2 x'; "$A"|A=; $A p2|A=p; ${A}2 x|A=@; p1 "${A}" ${A} "$A"x x"$A" $A$A "$A $A" '$A' \$A|A='*'; p1 $A "$A"|A=' '; p1 x${A}y"""
BASH = r"""builtin set -- @; p1 "$1"|builtin shift; p1 $1|set -o posix; p1 $1|f() { shift; }; f; p1 "$1"|function f { p1 $1; }; f @|declare -n r=1; p1 "$r"|p1 "${!1}" $1|BASH_ARGV0=@; p1 "$0"|: ${1:=x}; p1 $1|p1 {$1,x}|p1 "${1@Q}" $1|[[ $1 == p2 ]] && p1 $1|p1 <<<"$1"
A=1; (( A++ )); p1 $A "$A"|A=1; ((A+=2)) && p1 $A|A=0; while ((A<3)); do p1 $A; ((A++)); done|A=1; p1 $((A++)) $A $((++A)) $A|A=1; B=$((A++)); p1 $A $B|A=1; p1 $A $((A--)) "$A" $((--A))|A=1; p1 {$((A++)),x}$A
A=1; [[ $A -lt 3 ]] && p1 $A|A=1; p1 $((A---1)) $((A - -1))|A=1; p1 $((A++ + ++A))|x='B=7'; A=1; p1 $((x+A)) $B|A='B=7'; p1 $((A)) "$B"|A='B[C=7]'; p1 $((A)) "$C"|A='B=7' C=$((A)); p1 "$B"|A=1; A='B=7' C=$((A)); p1 "$B" "$C"
A=1; A='C=7' B=$((A+1)) p1 $B $C; p2 "$C"|A=1; readonly A; p1 $((A+1))|A=1; declare -i A; A=5+5; p1 $((A))|A=1; local A=2; p1 $((A))|UID=5; p1 $((UID))|p1 $((RANDOM*0)) $((SECONDS*0))|A=1; : $((UID=5)); A=@\np1 $A|A=1; : $((PPID+=1)); A=@\np1 $A
A=1; export B=$((A+1)); p1 $B|A=1; declare B=$((A+1)); p1 "$B"|A=@; A=1 export B=$((A)); p1 $B|A=1; IFS=1; p1 $((A+10)) $A|A=5; p1 $((A<<2)) $((A^1)) $((~A)) $((!A))|A=99999999999999999999; p1 $((A+1)) $A|A=9; p1 $((A*999999999999999999)) x
A=/; : $((1/0)); A=@\n:|A=/; : $((1+)); A=@\n:|A=/; A[-9]=x; A=@\n:|A=/; B[-9]=x; A=@\n:|A=/; : ${1:=x}; A=@\n:|A=/; ${@=x}; A=@\n:|A=/; : ${A@Z}; A=@\n:
A=/; [[ 08 -eq 1 ]]; A=@\n:|A=/; C=([-9]=x); A=@\n:|A=/; : ${B[-9]}; A=@\n:|A=/; break x; A=@\n:|A=/; UID=1; A=@\n:|A=/; : ${!Z}; A=@\n:|A=/; declare -r B; B=@; A=@\n:|A=/; let 1/0; A=@\n:
A=/; B=x C[-1]=y; A=@\n:|A=/; : ${B:0:-9}; A=@\n:|A=/; p1 "$((08))"; A=@\n:|A=/; ((1/0)); A=@\n:|A=/; f() { B[-9]=x; }; f; A=@\n:|A=/; { : $((1/0)); }; A=@\n:|A=/; : ${#1:=x}; A=@\n:
case $v in a) A=@;& *) B=#;; esac|case $v in a) A=@;;& *) A=#;; esac|case a in a) A=@;& b) p1 "$A";; *) A=#;; esac|case a in a) A=@;;& b) A=#;; *) p1 "$A";; esac|A="a b"; declare $A; p1 $A|A="B=@ C"; declare $A; p1 "$B"|A="a b"; p1 <<<$A|A="a b"; C=($A); p1 $A|A="a b"; p1 {$A,"$A"}x|A="a b"; set -f; p1 $A|A="x b"; shopt -s extglob\np1 @$A|A="local B=@"; f() { $A; p1 $B; }; f; p2 $B|A="read B"; $A <<<@; p1 "$B"|A="a b"; printf -v B $A; p1 $B|A="eval B=@"; $A; p1 $B|A="a b"; ((x=1)); p1 $A
export() { :; }|export() { :; }; export A=@|shopt -s lastpipe; p1 | A=@|shopt -s lastpipe\np1 | { A=@; }|unset() { :; }|set() { :; }|shopt -s failglob; p1 zz*|break x|continue 1 2|: ${A?}|: ${nope:?}|A=@ >/none/x|export A=@ >/none/x|A=@ 2>/dev/null|{ A=@; } 2>&1
exec 2>&-; { A=#; } >&2|read -r A <<<@|A+=@|A[0]=@|A[1]=@|A=(@ #)|A+=(@)|declare A=@|declare A|declare -i A|declare -i A=@|declare -l A=@|declare -u A|declare -u A=@|declare -r A=@|typeset A=@
declare -n A=B|declare -n A=B; A=@|declare -n R=A; R=@|declare -g A=@|declare -x A=@|declare -a A|declare -A A|declare -a A=(@)|typeset -i A|f() { declare A=@; }|f() { declare -g A=@; }
f() { local -n A=B; A=@; }|f() { local -n R=$1; R=@; }; f A|f() { local A=@; unset A; p1 "$A"; }|f() { local A=@; g; p1 "$A"; }; g() { A=#; }|f() { local A; A=@; p1 "$A"; }; f; p2 "$A"
printf -v A @|printf -vA @|printf -v 'A[0]' @|printf x%n A|mapfile -t A <<<@|readarray A <<<@|mapfile -t <<<@|(( A=5 ))|(( A++ ))|let A=5|let 'A=5'|let A++|[[ -v A ]]|[[ $A == @ ]] && B=@|[[ 1 -eq A ]]
: ${A:0:1}|: ${A/x/y}|: ${!A}|: ${!A:=x}|: ${A@Q}|: ${A@P}|A=@; : ${B:=$A}|trap 'A=@' DEBUG|trap 'A=@' ERR; no|trap 'A=@' RETURN|f() { trap 'A=@' RETURN; }; f|set -T|set -o functrace
shopt -s lastpipe|shopt -s lastpipe; say @ | read A|p1 | A=@|shopt -s localvar_inherit|shopt -s localvar_unset|shopt -s nocasematch|shopt -s expand_aliases; alias z='A=@'\nz
shopt -s extglob\nA='@(a|b)'; p1 $A "$A"|coproc A { p1; }|coproc { A=@; }|coproc p1|select A in @; do break; done <<<1|exec {A}>f|{A}>f p1|: {A}>f|source ./set|source /dev/stdin <<<A=@|builtin eval A=@
builtin export A=@|builtin unset A|builtin declare -i A|wait -p A|for ((A=1; A<3; A++)); do p1 $A; done|for ((i=0; i<2; i++)); do A=@$i; p1 "$A"; done|A=$'@'|A=$"@"|A={@,#}|A=$'a\nb'; p1 $A "$A"
export A={@,#}|export A=(@)|for A in {@,#}; do p1 $A; done|for A in {1..3}; do p1 $A; done|for A in x{1..2}; do B=$A; done; p1 "$B"|p1 {$A,$B}|p1 {"$A",x}"$B"|p1 <(p2 "$A")|A=@ p1 <(p2 "$A")|p1 >(A=@)
p1 <<<"$A"|body <<<$A|body <<<"$A @"|A=@ body <<<"$A"|[ -v A ]|test -v 'A[B=5]'|[ -v 'x[A=5]' ]|[ $v = x ]|x='-v B[A=7]'; [ $x ]|x=-v; [ "$x" 'y[A=7]' ]|x='A=7'; : $((x))|x='A=7'; [[ x -eq 1 ]]
A=(1 2); A=@|A=(1 2); p1 $A|A=@; A[1]=x; p1 "$A"|unset 'A[0]'|RANDOM=5; A=$RANDOM|A=@; declare A; p1 "$A"|A=@; declare -i A; A=x|declare A=@ B=$A|export A=@ B="$A"|declare A=$v|export A=$v|typeset A="$B"
a=(x); declare a="(\$((A=5)))"|read -a A <<<@|read A B <<<"@ #"|read -p x A <<<@|IFS=: read A B <<<@:#|PS4='$((A=7))'; set -x; :; set +x|PS4='${A:=@}' p1|BASH_ENV=set p1|SECONDS=@|LINENO=@; p1 $LINENO
REPLY=@; read <<<x; p1 "$REPLY"|_=@; p1 "$_"|A=@; p1 "$_"|UID=@; p1 $UID|PPID=@; p1 $PPID|BASHPID=@|FUNCNAME=@; p1 "$FUNCNAME"|GROUPS=@; p1 "$GROUPS"|OPTIND=@|HISTCMD=@; p1 $HISTCMD|DIRSTACK=@; p1 $DIRSTACK
f() { A=@; }; f=f; $f|f() { A=@; }; "f"|f() { A=@; }; builtin f|function f { A=@; }|f() { A=@; } >"$A"|f() if ok; then A=@; fi|export -f f|command_not_found_handle() { A=@; }; nonesuch
A=@; B=A; p1 "${!B}"|A=@; unset -n A|A=@; local A=#|A=@; f() { local A=#; p1 $A; }; f; p2 $A|A=@; f() { A=#; local A=z; p1 $A; }; f; p2 $A|A=@ f2; f2() { p1 "$A"; }|complete -W x A|enable -n export"""


def split(text):
    return [x.replace("\\n", "\n") for line in text.split("\n") for x in line.replace(" | ", " \0 ").split("|")]


class Vars(Lines):
    def __init__(self, seed, dialect):
        super().__init__(seed, dialect)
        # a line end in a form is written \n; a pipe stands between blanks
        forms = ODD + ("\n" + BASH if self.bash else "")
        self.forms = [self.whole(x) for x in split(forms)]

    @staticmethod
    def whole(form):
        return form.replace("\0", "|").replace("\\n", "\n")

    def var(self):
        return self.pick("A", "A", "A", "B", "B", "C", "v", "e", "u")

    def value(self):
        k = self.r.randrange(12)
        if k < 7:
            return self.pick("a", "b", "c", "build", "a/b", "x", "1", "23", "p2", "-f", "/t", "a.b", "a=b", "y:z")
        if k < 10:
            n = self.var()
            return self.pick("$%s", '"$%s"', "${%s}", 'x"$%s"', "$%s/y") % n
        return self.pick("''", "'a b'", "'*'", '"x y"', "'p2 z'", "\\*", "' '", "'$A'", "é", "'a\\b'", "~")

    def use(self):
        n, m = self.var(), self.var()
        w = self.pick('"$%s"', '"$%s"', "$%s", "${%s}", '"${%s}"', 'x"$%s"', "$%s/y", '"$%s"*', '"a $%s b"') % n
        if self.chance(3):
            w += self.pick("", " ", "/") + self.pick('"$%s"', "$%s", "${%s}") % m
        if self.chance(12):
            return w
        return self.pick("p1", "p2", "p3", "p4", "say") + " " + w

    def odd(self, which=None):
        names = self.r.sample(["A", "B", "C", "u"], 2)
        form = self.r.choice(self.forms) if which is None else self.forms[which % len(self.forms)]
        if self.chance(2) or which is not None:
            names = ["A", "B"]
        swap = {"A": names[0], "B": names[1]}
        out = []
        for i, c in enumerate(form):
            around = form[i - 1:i] + form[i + 1:i + 2]
            if c in swap and not any(x.isalpha() or x in "_" for x in around if x):
                c = swap[c]
            elif c == "@":
                c = self.pick("k", "m", "a", "1", "n/o")
            elif c == "#" and form[i - 1:i] not in ("{", "$"):
                c = names[1] if form[i - 1:i] in ("$", "\"") and form[i - 1:i + 1] != '"#' else self.pick("q", "r")
            out.append(c)
        return "".join(out)

    def step(self, deep=2):
        k = self.r.randrange(20)
        if k < 5 or deep <= 0 and k < 9:
            return "%s=%s" % (self.var(), self.value())
        if k < 10 or deep <= 0 and k < 15:
            return self.use()
        if k < 14 or deep <= 0:
            return self.odd()
        a, b = self.steps(deep - 1), self.steps(deep - 1)
        end = "\n" if "<<" in a or "<<" in b else self.pick("; ", "\n")
        n = self.var()
        form = self.pick(
            "(%s)", "{ %s; }", "if ok; then %s; fi", "if no; then %s; else %s; fi", "if %s; then %s; fi",
            "for " + n + " in a b; do %s; done", "for " + n + " in a b; do %s; done",
            "for " + n + " in $B \"$C\"; do %s; done", "for i in 1 2; do %s; %s; done", "ok && { %s; }", "no && { %s; }",
            "no || { %s; } && { %s; }", "{ %s; } | { %s; }", "{ %s; } | p1", "{ %s; } &\nwait", "f() { %s; }; f",
            "f() { %s; }; %s; f", "f() { %s; }; " + n + "=m f", "g() { %s; }; f() { g; %s; }; f", "case x in x) %s;; *) %s;; esac",
            "case $A in a) %s;; b) %s;; esac", "while ok; do %s; break; done", "while no; do %s; done",
            "p1 \"$( %s)\"", n + "=$( %s)", "for i in 1 2 3; do %s; ok && break; %s; done", "until %s; ok; do %s; done",
            "f() { local " + n + "=m; %s; }; f", "f() ( %s ); f", "if ok; then %s; elif no; then %s; else %s; fi",
            "! { %s; }", "time { %s; }" if self.bash else "{ %s; }", "{ %s; } >\"$A\"", "{ %s; } 2>o")
        parts = [x + (end if end == "\n" else "") for x in (a, b, self.steps(0))]
        return form % tuple(parts[:form.count("%s")]) if end != "\n" else (form.replace("%s; ", "%s").replace("%s )", "%s)")
                                                                            % tuple(parts[:form.count("%s")]))

    def steps(self, deep):
        text = self.step(deep)
        for _ in range(self.r.randrange(3)):
            text += ("\n" if "<<" in text else self.pick("; ", "; ", "\n")) + self.step(deep)
        return text

    def short(self, which=None):
        """One thing that may happen between an assignment and a use.  With `which`, its number, the
        use shows both variables: what the thing does to either of them is then seen in every run."""
        text = "A=%s; B=%s" % (self.value(), self.value()) + self.pick("; ", "\n") + self.odd(which)
        sep = "\n" if "<<" in text else self.pick("; ", "\n")
        uses = ['p1 "$A" "$B"', "p1 $A $B", 'p1 "$A"; p2 x"$B"', "(p1 $A x$B)", 'p1 "$B"*']
        if which is not None:
            return text + sep + uses[which // len(self.forms) % 2]
        return text + sep + self.pick(*uses)

    def line(self):
        if self.chance(2):
            return self.short()
        text = self.step(1)
        for _ in range(self.r.randrange(2, 7)):
            text += ("\n" if "<<" in text else self.pick("; ", "; ", "; ", "\n", " && ")) + self.step(2)
        return text + ("\n" if "<<" in text else "; ") + self.use()
