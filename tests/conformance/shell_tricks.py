"""Lines for shell.py in which a command is run by another way than its name at the
beginning of a simple command: wrappers, code in words, text that is read a second time.

The innermost command is one of the stubs; the programs around it are real ones.
"""
from shell_lines import Lines
from shell_vars import Vars

# Words around a command, as they are written.
WRAP = """env @|env A=b @|env -i PATH=/stub @|env - PATH=/stub @|env -u A @|env --unset=A @|env -- @
env A=b C=d @|env -vuA @|env --ignore-environment PATH=/stub @|env -C . @|env --chdir=. @
timeout 5 @|timeout -k 1 5 @|timeout --signal=KILL 5 @|timeout -s 9 5 @|timeout -vs9 5 @
timeout --foreground 5 @|timeout --kill-after 1 5 @|timeout -- 5 @|timeout --sig KILL 5 @
nice @|nice -n 5 @|nice -5 @|nice --adjustment=5 @|nice -n5 @|nice --adj 5 @|nohup @|nohup -- @
setsid -w @|setsid --wait @|setsid -fw @|stdbuf -o0 @|stdbuf --output=L @|stdbuf -i 0 -e0 @
xargs @|xargs -n1 @|xargs -n 1 -r @|xargs -I% @ %|xargs -0 @|xargs -d a @|xargs -P1 -L 1 @|xargs -t @
xargs --max-args=1 @|xargs -a /dev/null @|xargs -- @|xargs --no-run-if-empty --max-procs 2 @|xargs -E e @
flock aa @|flock -n aa @|flock -w 1 aa @|flock --timeout=1 aa @|flock -E 3 -x aa @|setarch -R @
setarch x86_64 @|ionice -c3 @|ionice -c 2 -n 1 @|ionice -t -c2 @|taskset 1 @|taskset -c 0 @|chrt -o 0 @
chrt -i 0 @|busybox env @|busybox timeout 5 @|busybox nice @|busybox xargs @|busybox setsid @|busybox nohup @
find . -maxdepth 0 -exec @ ;|find . -maxdepth 0 -exec @ {} +|find aa -execdir @ ;|find aa -ok @ ;
find -L aa -name aa -exec ok ; -exec @ ;|find . -maxdepth 0 ( -name x -o -exec @ ; )"""
BUILTIN = "command @|command -- @|command -p @|exec @|command exec @|command command @|eval @|! @|{ @;}|( @ )"
BASH_BUILTIN = """builtin command @|builtin exec @|exec -a n @|exec -c @|exec -l @|exec -cla n @|builtin eval @
time @|time -p @|time -- @|coproc @|builtin command -- @|builtin -- exec @|exec -- @|command builtin eval @"""
# Shells, and what they read: @ is the text in one word, # the text itself.
CODE = r"""sh -c @|dash -c @|sh -ec @|sh -c -- @|sh -c @ a b|sh -cx @|sh -o errexit -c @|sh +x -c @|/bin/sh -c @
eval @|eval -- @|eval ok \; @|eval @ x|trap @ EXIT|trap -- @ 0|trap @ HUP\nkill -1 $$|busybox sh -c @|busybox ash -c @
flock aa -c @|sh <<E\n#\nE|sh <<'E'\n#\nE|sh -s a <<'E'\n#\nE|cat_() { eval "$1"; }; cat_ @|f() { #\n}; f
say @ | sh|say @ | sh -s|say @ >f; sh f|say @ >f; . ./f|say @ >f; sh <f|say @ >f; sh ./f x|f='#'; eval "$f"
x=@; eval "$x"|x=@; sh -c "$x"|eval "$(say @)"|sh -c "$(say @)"|x=@; eval eval \$x|find . -maxdepth 0 -exec sh -c @ ;
xargs sh -c @|echo | xargs -I% sh -c @|set -- @; eval "$1"|sh -c 'eval "$1"' _ @|sh -c 'eval "$0"' @
env sh -c @|timeout 5 sh -c @|exec sh -c @|alias z=@\nz|alias 'z=#'\nz|nice env sh -ec @|env ENV=f sh -c @
sh -sc ok <<'E'\n#\nE|say @ | sh -sc ok|say @ | dash -cs ok|sh -o keyword -c @|sh -kc @|sh -ac @|sh -euo pipefail -c @|./sh -c @
ln -s /usr/bin/busybox sh; ./sh sh -c @|sh -c '"$@"' _ @|sh -c '$1' _ @|sh -c '"$0" "$@"' p3 a|sh -c 'p1 "$1"; p2 $2' _ a @|sh -c 'set -- p3; "$@"' _ a
sh -c 'shift; $1' _ a p3|sh -c 'f() { $1; }; f p3' _ a|sh -c 'for x; do $x; done' _ ok p3|sh -c '. ./f' _ a|export x=@; sh -c 'eval "$x"'
x=@ sh -c '$x'|x=@; sh -c '$x'|x=p3; export x; sh -c '"$x" a'|set -a; x=@; sh -c '$x'|x=p3 env sh -c '$x'|export x=p3; x=ok sh -c '$x'
x=ok; export x; x=p3; sh -c '$x'|(export x=p3; sh -c '$x')|sh <<'E'\nok\n#\nE|sh <<'E'\nread x\nbody <<X\n#\nX\nE|sh <<'E'\nbody\n#\nE
say @ >f; sh <<'E'\nok\nexec <f\nE|say @ >f; sh <<'E'\nf() { exec <f; }\nf\nE|say @ >f; sh <<'E'\neval exec '<f'\nE|sh <<E\n$P\nE|sh <<'E' -s p3\n$1\nE
eval 'x=p3'; $x|x=ok; eval x=p3; $x|eval 'f() { p3; }'; f|eval "alias z=@"\neval z|eval exec @|eval 'set -- p3'; $1|trap 'exec p3' EXIT; exec ok
command eval @|command . /dev/stdin <<'E'\n#\nE|. /dev/stdin <<'E'\n#\nE|awk 'BEGIN{system("#")}'|sed '1e #' aa
env -S@|env -S @|env --split-string=@|env -vS @|env -iS@|PS4='$(#)'; set -x; ok|while :; do #\nbreak; done
case x in x) #\n;; esac|f() ( #\n); f|until #\ndo break; done|if ok; then #\nfi|x=$(#\n)|: "${x:-$(#\n)}"|ok && {\n#\n}"""
BASH_CODE = r"""bash -c @|bash -lc @|bash -xc @|bash --norc -c @|bash -O extglob -c @|bash +O extglob -c @|bash -o pipefail -c @
bash <<<@|bash -s <<<@|bash <(say @)|. <(say @)|source /dev/stdin <<<@|bash /dev/stdin <<<@|bash --posix -c @|rbash -c @
exec 3<<<@; . /dev/fd/3|exec 3<<<@; bash /dev/fd/3|exec 3<<<@; bash <&3|exec <<<@; bash|shopt -s expand_aliases\nalias z=@\nz
shopt -s expand_aliases; alias z=@; eval z|mapfile -C @ -c 1 a <<<x|readarray -c1 -C @ a <<<x|compgen -C @ x|bash -c 'eval "$0"' @
trap @ DEBUG; ok|trap @ ERR; no|trap @ RETURN; f() { ok; }; f|command_not_found_handle() { #\n}; nonesuch
function f { #\n}; f|coproc f { #\n}; wait|BASH_ENV=<(say @) bash -c ok|say @ >f; BASH_ENV=./f bash -c ok|a=(@); eval "${a[0]}"
printf -v x %s @; eval "$x"|read -r x <<<@; eval "$x"|bash --rcfile f -c @|printf -v 'a[$(#)]' x|test -v 'a[$(#)]'
[ -v 'a[$(#)]' ]|[[ -v 'a[$(#)]' ]]|[[ 1 -eq 'a[$(#)]' ]]|(( a[$(#)] ))|let 'a[$(#)]=1'|declare 'a[$(#)]=1'|typeset -i x='a[$(#)]'
x='a[$(#)]'; echo $((x))|x='a[$(#)]'; (( x ))|x='a[$(#)]'; a[x]=1|read 'a[$(#)]' <<<y|unset 'a[$(#)]'|x='$(#)'; say "${x@P}"
x='a[$(#)]'; say ${v:x}|wait -p 'a[$(#)]'|getopts x 'a[$(#)]'|export 'a[$(#)]=1'|readonly 'a[$(#)]=1'|PS4='$(#)' bash -xc ok
local x=1|declare -n r='a[$(#)]'; say "$r"|x='a[$(#)]'; say "${!x}"|x='a[$(#)]'; : "${!x:=1}"|x='a[$(#)]'; [[ -n ${!x} ]]
enable -n ok; ok|complete -C @ z|select i in a; do #\nbreak; done <<<1|[[ -n $(#) ]]|[[ a =~ $(#) ]]|for ((;;)); do #\nbreak; done
{ # ;} > >(p1)|p1 < <(#)|p1 <(#)|time { #\n}|function f() if ok; then #\nfi; f|a[$(#)]=1|a=([$(#)]=1)|: ${a[$(#)]}|: $[ $(#) ]
BASH_FUNC_z%%='() { #; }' bash -c z|env 'BASH_FUNC_z%%=() { #; }' bash -c z|f() { #\n}; export -f f; bash -c f|f() { #\n}; export -f f; env bash -c f
declare -a 'a=($(#))'|declare -A 'a=(["$(#)"]=1)'|readonly -a 'a=($(#))'|a=(); declare a='($(#))'|x='($(#))'; declare -a a="$x"
declare -n r='a[$(#)]'; r=1|x='a[$(#)]'; declare -n r=$x; : ${r:=1}|: {a['$(#)']}>f|RANDOM='a[$(#)]'|HISTCMD='a[$(#)]'|SRANDOM='a[$(#)]'
OPTIND='a[$(#)]'; getopts a x|read RANDOM <<<'a[$(#)]'|printf -v RANDOM %s 'a[$(#)]'|for RANDOM in 'a[$(#)]'; do :; done|declare SECONDS='a[$(#)]'
declare -i x; read x <<<'a[$(#)]'|declare -i x; for x in 'a[$(#)]'; do :; done|declare -ia x; mapfile -t x <<<'a[$(#)]'|set -- 'a[$(#)]'; say $(($1))
set -- '$(#)'; say "${@@P}"|set -- 'a[$(#)]'; say ${!1}|declare -A a; x='$(#)'; test -v a[$x]|declare -A a; x='$(#)'; let "a[$x]++"
PROMPT_COMMAND=@ bash -c ok|bash <<'E'\nread -N4 x\nsay #\nE|bash -s p3 <<<'$1'|bash -O expand_aliases -c 'alias z=p3\nz'|bash -ic @|bash -o posix -c @
bash -c 'shopt -s expand_aliases\nalias z=p3\nz'|bash <<<'read x; $x'|bash -c 'read x; $x' <<<p3|bash -c 'declare -n r=1; p1 $r' _ p3|bash -c '${1}' _ p3|bash -c '${@: -1}' _ ok p3
bash -c '"${!1}"' _ P|x=p3; declare -x x; bash -c '$x'|declare -x x=p3; bash -c '"$x" a'|export -f ok; bash -c ok|ok() { p3; }; export -f ok; bash -c ok|set -k; bash -c '$x' x=p3
bash -c 'set -k; ok x=p3; $x'|bash --login -c @|exec -a sh bash -c @|exec -a bash sh -c @|bash -c "$(say @)"|bash -c ok$'\n'@|bash -c 'bash -c "$0"' @|bash -c '"$@"' _ sh -c @|history -s @|hash -p /bin/sh z; z -c @"""
# A command whose name is found while the line runs; @ is the command's words.
FOUND = """x=p3; $x a|x=3; p$x|$P a|set -- @; "$@"|$(say @)|`say @`|x='p3 a'; $x|for i in p3; do $i; done|../../stub/p3 a|/stub/p? b
eval $(say @)|x=@; "$x"|/stub/../stub/p3|IFS=_; x=p3_a; $x|say p3 | xargs env|say p3 | xargs|say @ | xargs -I% env %|$u p3|"$u"p3 a
PATH=/stub p3|while read c; do $c; done <aa|//stub/p3|f() { "$@"; }; f @|f() { $1; }; f p3|ln -s /stub/p3 z; ./z|x=`say p3`; $x
${u:-p3} a|${v+p3}|${u:-@}|${v#x}p3|exec ${u:-p3}|env ${u:-p3}|env $P|timeout 5 $P|sh -c $P|sh -c "$P"|eval $P|command $P
/bin/busybox env p3|x=env; $x p3|e=; $e p3|$e$e p3|< aa p3|2>/dev/null p3|x=1 p3|x=$(say 1) p3 a|{ { { p3; }; }; }|cd /stub; ./p3|cd /stub && p3"""
BASH_FOUND = r"""{p3,a}|p{3,4}|{,p3} a|$'p\x33'|$'\160\063'|read x <<<p3; $x|a=(p3 x); "${a[@]}"|x=P; ${!x}|printf -v x p3; $x|declare -n r=P; $r
select i in p3; do $i; break; done <<<1|mapfile -t a <<<p3; ${a[0]}|hash -p /stub/p3 z; z a|coproc p3 a|exec -a ls p3|{x}>/dev/null p3|IFS=, read -a a <<<p3,x; "${a[@]}"
x=p3; y=x; ${!y}|${P@E}|${P^}|${P,}|${P/x/}|${P:0}|${P//[x]/} a|x=xp3; ${x:1}|x=p3x; ${x%x}|x=3p; ${x:1}${x:0:1}|&>/dev/null p3|>(p3)|<(p3)
for ((i=3; i<4; i++)); do p$i; done|a=([3]=p3); ${a[3]}|"${a[@]:-p3}"|p$((1+2))|p$[3]|shopt -s extglob; /stub/@(p3)|/stub/p[3]|x=(3); p${x[@]}|p{3..3}|p{2..4} a
enable -f /dev/null ok; p3|builtin exec p3|time -p -- p3|! time p3|time ! p3|compgen -c p3|disown; p3|x=p3 y=$x; $y|let i=3; p$i|p"${i-3}"|cd -P /stub; ./p3"""

# Shells around lines that set variables and use them; "bash" where the dialect is bash's.
AROUND = r"""sh -c @ say p2 'x y'|sh -c @ _ p3 -f|dash -ec @ p3 a|sh -c @ ok b "$P"|sh -c @ p1 -f $v|sh <<'E'\n#\nE|sh -s p3 <<'E'\n#\nE|eval @|eval @; p2 $A
A=p3 sh -c @|export A=a B=-f; sh -c @ x "$B"|set -a; A=p3; sh -c @|for i in a b; do sh -c @ _ $i; done|f() { sh -c @ _ "$1"; }; f p3|env A=p3 sh -c @ _ a|timeout 5 sh -c @ _ p3
A=p3; sh -c @ _ "$A"|(A=-f; sh -c @ $A p2 a)|: $(sh -c @ _ p3)|sh -c @ _ p3 &\nwait|sh -euo nounset -c @ _ a|sh -c 'sh -c "$1" _ p3' _ @|sh -c 'sh -c % _ "$1"' _ p3"""

# The texts of aliases that are only the beginning of a command, or of several.
BEGIN = ["X=", "X= ", "X=1 Y=", ">o", ">o ", "</dev/null", "2>&1", "ok;", "ok; ", "ok &", "ok |", "ok &&", "no ||", "eval",
         "exec ", "command ", "env", "env ", "!", "! ", "{", "(", "if", "while ", "time", "say 1; X=", "\\", "p", "'", '"', "$(",
         "`", "#", "ok #", "ok\n", "f()", "f() ", "case p3 in p3)", "until", "then", "xargs", "sh -c", "sh -c ", "P=p3; $P",
         "$P", "x=p3 ", "", " ", "<<E", "ok <<E\n", "z", "alias", "trap", ".", "unalias z;"]
BASH_BEGIN = ["<<<x", "<<<x ", "&>o", "[[ x ]] &&", "coproc", "function f", "((1));", "builtin ", "time -p", "{v}>o", "a=(x) "]


def split(text):
    return [x for line in text.split("\n") for x in line.split("|")]


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


class Tricks(Lines):
    def __init__(self, seed, dialect):
        super().__init__(seed, dialect)
        bash = self.bash
        # a line end inside a form is written \n; a pipe stands between blanks
        forms = [(t.replace(" | ", " \0 ")) for t in (
            WRAP, BUILTIN + ("\n" + BASH_BUILTIN if bash else ""), CODE + ("\n" + BASH_CODE if bash else ""),
            FOUND + ("\n" + BASH_FOUND if bash else ""))]
        self.vars = Vars(seed, dialect)
        self.around = [x.replace("\\n", "\n") for x in split(AROUND)]
        self.wraps, self.builtins, self.codes, self.founds = (
            [x.replace("\0", "|").replace("\\n", "\n") for x in split(f)] for f in forms)

    def innermost(self):
        return self.pick("p3", "p3 a", "p3 x", "p1 -f", "p1 a -f", "p2 a", "p2 b c", "p4 a.b", "say 1", "p4 x HEAD@{1}",
                         "p1 x", "p2 c", "ok", "p3", "p2 d", "p3 -f")

    def respelled(self, word):
        """The word, in another spelling."""
        k = self.r.randrange(len(word) + 1)
        a, b = word[:k], word[k:]
        ways = [a + "''" + b, f"'{word}'", f'"{word}"', a + '""' + b, f"{a}\\\n{b}", f'{a}"{b}"', f"'{a}'{b}"]
        if b and b[0].isalpha():
            ways.append(f"{a}\\{b}")
        if self.bash:
            ways += ["$'" + "".join(self.pick(c, "\\x%02x" % ord(c), "\\%03o" % ord(c)) for c in word) + "'",
                     f"$'{a}'{b}"]
        return self.r.choice(ways)

    def spelled(self, text):
        """Plain words with some of them in other spellings."""
        if not self.chance(3):
            return text
        return " ".join(self.respelled(w) if w[:1].isalnum() and w.isalnum() and self.chance(2) else w
                        for w in text.split(" "))

    def as_word(self, text):
        if self.bash and self.chance(8):
            return "$'" + "".join(c if c.isalnum() or c == " " else "\\x%02x" % ord(c)
                                  for c in text if ord(c) < 128) + "'"
        if self.chance(4):
            return '"' + "".join("\\" + c if c in '\\"$`' else c for c in text) + '"'
        return quote(text)

    def put(self, form, text):
        """The text for each mark of the form."""
        plain = text.replace("\n", ";")
        out = form
        if "'#" in out or "#'" in out or "(#" in out and "'" in out or '"#"' in out:
            # inside of quotes that the form has
            if "'" in plain or '"' in plain or "\\" in plain:
                plain = "p3"
            return out.replace("#", plain).replace("@", quote(plain))
        return out.replace("#", text).replace("@", self.as_word(text))

    def wrapped(self, text):
        """A simple command of plain words, in another's words."""
        form = self.r.choice(self.wraps if self.chance(2) or self.deep > 1 else self.builtins)
        words = form.split(" ")
        words = [quote(w) if w in (";", "(", ")", "{}") and form.startswith("find") else w for w in words]
        words = [self.respelled(w) if i == 0 and w.isalpha() and self.chance(6) and w not in ("time", "coproc")
                 else w for i, w in enumerate(words)]
        return " ".join(words).replace("@", text)

    def command_text(self, depth):
        """A command that runs the innermost one; True where it is one of plain words."""
        if depth <= 0:
            return self.spelled(self.innermost()), True
        k = self.r.randrange(10)
        text, plain = self.command_text(depth - 1)
        if k < 4 and plain:
            out = self.wrapped(text)
            return out, out[0].isalpha() and out.split(" ")[0] not in ("time", "coproc", "eval")
        if k < 9:
            return self.put(self.r.choice(self.codes), text), False
        return self.found(), False

    def found(self):
        return self.r.choice(self.founds).replace(
            "@", self.pick("p3", "'p3'", "p3", "p3 a", "'p3 a'"))

    def around_vars(self):
        """A shell whose text sets variables and uses them, and words behind it."""
        form, text = self.r.choice(self.around), self.vars.line()
        if self.bash:
            form = form.replace("dash ", "bash ").replace("sh -", "bash -").replace("babash", "bash")
        if "#" in form:
            return form.replace("#", text)
        return form.replace("%", quote(quote(text))[1:-1]).replace("@", quote(text))

    def aliased(self, text):
        """The command, behind an alias that is the beginning of it."""
        begin = self.r.choice(BEGIN + (BASH_BEGIN if self.bash else []))
        name = self.pick("z", "z", "ok", "p1", "echo")
        out = "shopt -s expand_aliases\n" if self.bash else ""
        out += f"alias {name}={quote(begin)}\n"
        if self.chance(4):  # another one, which is read again
            out, name = out + f"alias y={self.pick(name, quote(name + ' '), quote('ok; ' + name))}\n", "y"
        if self.chance(6):
            out += f"alias {self.pick('p3', 'ok', 'w')}={self.pick('p3', 'ok', quote('p3 '))}\n"
        return out + f"{name} {text}" + self.pick("", "", ")", "}", "\nE", "; fi", "'", "`")

    def line(self):
        """One line; mostly it runs what the set "names" denies."""
        if self.chance(5):
            return self.around_vars()
        self.deep = 4
        text = self.found() if self.chance(5) else self.command_text(self.pick(1, 1, 2, 2, 3))[0]
        if self.chance(8):
            return self.aliased(self.pick(text, self.innermost()))
        k = self.r.randrange(12)
        if k == 0:
            text = "ok\n" + text
        elif k == 1:
            text += "\np1 x"
        elif k == 2 and "<<" not in text:
            text = self.pick("( %s\n)", "{ %s\n}", "if %s\nthen ok; fi", "! { %s\n}", ": \"$(%s\n)\"", "ok && { %s\n}",
                             "f() { %s\n}; f", "say x | { %s\n}", "while %s\ndo break; done") % text
        elif k == 3:
            text = self.pick("x=1; ", "cd .; ", "set -e; ", "umask 22; ", "export A=b; ", "unset A; ") + text
        elif k == 4:
            text += self.pick(" # end", "\n", " ", "\n\n")
        return text
