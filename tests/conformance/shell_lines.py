"""Lines for shell.py: a grammar of shell text, walked by a seeded generator.

Every program is a stub (p1 … p4, ok, no, say), so that whatever a line does can
be seen and harms nothing.
"""
import os
import random
import re

PROGRAMS = ["p1", "p2", "p3", "p4", "ok", "no", "say", "body"]
PLAIN = list("abcxyz019") + ["-f", "--k=v", "a.b", "/t/x", "@", "+", "%", ":", ",", "a=b",
                             "1", "in", "do", "fi", "then", "esac", "x]", "^", "-", "if",
                             "time", "HEAD@{1}", "{}", "{x}", "a{b", "c}d", "p#q", "!", "}"]
ODD = ["\\\n", "a\\ b", "\\$v", "\\`", "\\'", '\\"', "\\\\", "\\*", "\\{a,b\\}", "\\~", "\\#",
       "é", "\\é"]


class Lines:
    def __init__(self, seed, dialect):
        self.r = random.Random(seed)
        self.bash = dialect == "bash"
        self.deep = 0

    def chance(self, n):
        return self.r.randrange(n) == 0

    def pick(self, *of):
        return self.r.choice(of)

    # --- words ---------------------------------------------------------------

    def name(self):
        return self.pick("v", "e", "u", "P", "w1", "_q", "L", "R")

    def single(self):
        return "'" + self.pick("a b", "$v", "`x`", '"', "\\", "a\nb", "", "{a,b}", "*", "#", ";", "\\\n") + "'"

    def ansi(self):
        return "$'" + "".join(self.pick("a", "\\x41", "\\102", "\\n", "\\'", "\\\\", "\\q", "\\t",
                                        "\\u0043", "\\cA", "\\e", '"', "\\\"", "\\0x", "\\x4g",
                                        "\\U00000044", " ", "$v", "\\?", "\\08", "\\x")
                              for _ in range(self.r.randrange(4))) + "'"

    def double(self):
        return '"' + "".join(self.pick(
            lambda: "a b", lambda: "'", lambda: "\\$", lambda: "\\\"", lambda: "\\a", lambda: "$",
            lambda: "*", lambda: "~", lambda: "{a,b}", lambda: "\\\n", lambda: "#x", lambda: "\n",
            lambda: self.expansion(True), lambda: self.expansion(True))()
            for _ in range(self.r.randrange(4))) + '"'

    def operand(self, quoted):
        """What stands behind an operator of ${…}."""
        parts = [lambda: "a", lambda: "b c", lambda: "\\}", lambda: self.expansion(quoted),
                 lambda: "{", lambda: "*", lambda: "(", lambda: ")", lambda: "\\a", lambda: ";"]
        if not quoted:
            parts += [self.single, self.double, lambda: "<" if not self.bash else "<x"]
        return "".join(self.r.choice(parts)() for _ in range(self.r.randrange(3)))

    def param(self, quoted):
        n = self.pick(self.name(), "1", "@", "*", "#", "?", "-", "10")
        ops = ["", ":-", "-", ":+", "+", "#", "##", "%", "%%"]
        if self.bash:
            ops += ["/", "//", "^", "^^", ",", "/#", "/%"]
        op = self.r.choice(ops)
        if self.bash and self.chance(8):
            return self.pick("${%s:1}", "${%s:0:1}", "${%s: -1}", "${%s@Q}") % n.replace("#", "v").replace("?", "v")
        if self.chance(8):
            return "${#%s}" % self.pick(self.name(), "@", "")
        if self.bash and self.chance(10):
            return self.pick("${!v*}", "${!v@}", "${!1}", "${a[@]}", "${a[0]}", "${a[*]}", "${#a[@]}")
        if not op:
            return "${%s}" % n
        if n in "#?-" or n in ("@", "*"):
            n = "v"
        return "${%s%s%s}" % (n, op, self.operand(quoted))

    def arith(self):
        return self.pick("1+1", "v+1", "(1+2)*3", "$v", "1<2", "w1=3", "${u:-1}", "16#ff", "1 ? 2 : 3",
                         "$(say 1)", "(1)", " 1 ", "u||1", "1|2")

    def inner(self):
        self.deep += 1
        out = self.list(1) if self.deep < 4 else "p1 in"
        self.deep -= 1
        return out

    def expansion(self, quoted):
        if self.deep >= 4:
            return "$v"
        k = self.r.randrange(12)
        if k < 3:
            return "$" + self.pick(self.name(), "1", "@", "*", "#", "?", "$", "-")
        if k < 6:
            return self.param(quoted)
        if k < 9:
            text = self.inner()
            return "$(" + self.pick("", " ") + text + self.pick("", " ", "\n") + ")"
        if k == 9:
            return "$((" + self.arith() + "))"
        if k == 10:
            text = self.inner()
            for c in "\\`$" + ('"' if quoted else ""):
                text = text.replace(c, "\\" + c)
            return "`" + text + "`"
        if self.bash and self.chance(3):
            return "$[" + self.arith() + "]"
        return "$" + self.name()

    def braces(self):
        if self.chance(3):
            return self.pick("{1..3}", "{a..c}", "{3..1}", "{01..03}", "{1..9..4}", "{c..a}", "{-1..1}",
                             "{1..x}", "{1..}", "{..3}", "{a..c..2}", "{-01..1}", "{0..-2}", "{001..2}")
        parts = [self.pick("a", "b", "", "p1", "-x", "{a,b}", "'c d'", "$v", '"e,f"', "\\,", "{x}", "g..h",
                           "1..2", "{", "}", "$(say q,r)", "${u:-a,b}")
                 for _ in range(self.r.randrange(1, 4))]
        return "{" + ",".join(parts) + "}"

    def glob(self):
        return self.pick("*", "?", "a*", "[ab]", "[!a]*", "[a", "a]", "[[:alpha:]]*", "[]a]*", "['a']*",
                         "[a-c]?", "[", "./*", "?b", "[a\\]]", "[$v]", "[\"a\"b]*")

    def tilde(self):
        return self.pick("~", "~/x", "~root", "~+", "a~", "~'x'", "~$v", "k=~", "k=~/x", "k=a:~/b", "--k=~",
                         "~:a", "x:~", "\\~", "~\\/x", '~"/x"')

    def word(self):
        k = self.r.randrange(20)
        if k < 8:
            return self.r.choice(PLAIN)
        if k < 9:
            return self.single()
        if k < 11:
            return self.double()
        if k < 12:
            return self.expansion(False)
        if k < 13:
            return self.ansi()
        if k < 14:
            return self.glob()
        if k < 15:
            return self.tilde()
        if k < 16:
            return self.r.choice(ODD)
        if k < 17:
            return self.braces()
        if k < 18 and self.bash:
            return self.pick("<(p1 s)", ">(p2 s)", "a<(p3)", '$"loc"', "$'q'")
        return "".join(self.word() for _ in range(2))

    def program(self):
        n = self.r.choice(PROGRAMS[:-1])
        k = self.r.randrange(16)
        if k == 0:
            return n[0] + '"' + n[1:] + '"'
        if k == 1:
            return "\\" + n
        if k == 2:
            return n[0] + "\\\n" + n[1:]
        if k == 3 and self.bash:
            return "$'\\x%02x'" % ord(n[0]) + n[1:]
        if k == 4:
            return self.pick("$P", "${P}", "$(say p2)", '"$P"', "/stub/p1", "${u:-p4}", "p?", "$P$u")
        if k == 5 and self.bash:
            return self.pick("p{1,2}", "{p1,p2}", "{p1,{a,b}}", "p{1..2}", "{p3,'x y'}")
        if k == 6:
            return self.pick("'p1'", "p1''", "''p2", '""p3', "p'4'")
        if k == 7 and self.bash:
            return self.pick('$"p1"', 'p$"2"', '$"p3"', '$"/stub/p4"', '$"p"3')
        return n

    # --- commands -----------------------------------------------------------------

    def redir(self):
        fd = self.pick("", "", "2", "3")
        ops = [">o", "> o", ">>o", "<aa", "<>o", ">|o", ">&2", "<&0", ">&-", "2>&1", "</dev/null", ">$w1",
               '>"o p"']
        if self.bash:
            ops += ["&>o", "&>>o", "<<<x", '<<<"a $v"', "<<< $(say hs)", "< <(p1 in)", "> >(p2)", ">{o}"]
        op = self.r.choice(ops)
        if self.bash and self.chance(12):
            return "{fd}" + self.pick(">o", "<aa", ">>o")
        return op if op[0] == "&" or op[0] == "2" else fd + op

    def assign(self):
        n = self.name()
        n = "w1" if n in "PLR" else n
        v = self.pick("", "a", "'a b'", "$v", "$(say as)", "~/x", "a:~", '"$v"', "*", "{a,b}", "a=b")
        if self.bash and self.chance(4):
            return self.pick("%s+=%s" % (n, v), "ar=(a 'b c' $v)", "ar+=(x)", "ar[1]=%s" % v,
                             "ar=([1]=x [0]='y z')", "ar=(\na #c\nb)", "ar[w1+1]=x", "ar=({a,b} *)")
        return n + "=" + v

    def simple(self):
        parts = []
        if self.chance(6):
            parts.append(self.assign())
        if self.chance(12):
            parts.append(self.redir())
        if not self.chance(20) or not parts:
            parts.append(self.program())
            for _ in range(self.r.randrange(4)):
                parts.append(self.word())
            if self.chance(6):
                parts.insert(self.r.randrange(1, len(parts) + 1), self.redir())
        return self.pick(" ", " ", " ", "\t", "  ", " \\\n").join(parts)

    def text_expansion(self):
        """In one line."""
        text = self.expansion(True)
        return "$v" if "\n" in text else text

    def heredoc(self):
        tag, q = self.pick(("E", "E"), ("E", "'E'"), ("E", "\\E"), ("E", '"E"'), ("E F", "'E F'"), ("", "''"))
        tabs = self.chance(3)
        body = "".join(self.pick(
            lambda: "text\n", lambda: "'q' \"d\"\n", lambda: "\\$v \\` \\\\ \\a\n", lambda: "$v\n",
            lambda: self.text_expansion() + "\n", lambda: "\tE\n" if not tabs else "\tx\n",
            lambda: "a\\\nb\n", lambda: self.pick("", "\t", "a") + "\\\n" + self.pick("\t", "E\n", "\tE\n", "\ta\n"),
            lambda: " E\n", lambda: "p1 not\n", lambda: "# no\n", lambda: "; )\n")()
            for _ in range(self.r.randrange(4)))
        rest = self.pick("", "; p2 behind", " | p3", " && p4", " >o", " a")
        if self.bash and self.chance(4):
            return "body <<<" + self.pick("", " ") + self.word()
        return "body <<%s%s%s\n%s%s%s" % ("-" if tabs else "", self.pick("", " ") + q, rest, body,
                                       "\t" if tabs and self.chance(2) else "", tag)

    def compound(self):
        b = self.inner_list
        kinds = [
            lambda: "{ %s\n}" % b(), lambda: "{ %s; }" % b(), lambda: "(%s)" % b(), lambda: "( %s )" % b(),
            lambda: "if %s; then %s; fi" % (b(), b()),
            lambda: "if %s\nthen %s\nelif %s; then %s; else %s; fi" % (b(), b(), b(), b(), b()),
            lambda: "while no; do %s; done" % b(), lambda: "until ok; do %s; done" % b(),
            lambda: "while ok; do %s; break; done" % b(),
            lambda: "for i in a %s; do %s; done" % (self.word(), b()),
            lambda: "for i in a\ndo %s\ndone" % b(), lambda: "for i do %s; done" % b(),
            lambda: "for i; do %s; done" % b(),
            lambda: "case %s in a) %s;; (b|%s) %s;; *) %s\nesac" % (
                self.word(), b(), self.pick("c", "'d'", "$v", "?", "[x]", '"$(say cp)"'), b(), b()),
            lambda: "case x in esac", lambda: "case a in\nb) ;; a) %s ;;\nesac" % b(),
            lambda: "f() { %s; }; f a" % b(), lambda: "f ( ) ( %s )\nf" % b(),
        ]
        if self.bash:
            kinds += [
                lambda: "function g { %s; }; g" % b(), lambda: "function g() ( %s ); g" % b(),
                lambda: "[[ %s ]] && p1" % self.cond(), lambda: "(( %s )) || p2" % self.arith(),
                lambda: "for ((i=0; i<2; i++)); do %s; done" % b(),
                lambda: "for ((i=0;i<1;i++)) { %s; }" % b(),
                lambda: "for i in a b; { %s; }" % b(),
                lambda: "select s in a b; do %s; break; done <<<1" % b(),
                lambda: "coproc %s" % self.simple(), lambda: "coproc C { %s; }" % b(),
                lambda: "time %s" % self.pipeline(), lambda: "time -p %s" % self.simple(),
                lambda: "case a in a) %s;& b) %s;;& *) %s;; esac" % (b(), b(), b()),
                lambda: "! ! %s" % self.simple(), lambda: "time -- %s" % self.simple(),
            ]
        else:
            kinds += [lambda: "f() %s\nf" % self.simple(), lambda: "((%s);(%s))" % (b(), b())]
        return self.r.choice(kinds)() + (self.pick(" >o", " 2>&1", " <aa", " >o 2>&1") if self.chance(6) else "")

    def cond(self):
        def w():
            x = self.word()
            return x if x.strip("\\\n") else "a"  # bash would miss an operand, with status 0

        return self.pick(lambda: "-n %s" % w(), lambda: "%s" % self.pick("a", "$v", '"$(say c)"'),
                         lambda: "$v == %s" % self.pick("a*", "@(a|b)", "'x y'", "!(q)", "$v", "[ab]"),
                         lambda: "a =~ %s" % self.pick("^(a|b c)$", "a", "'('", "$v", "[a-z]+", "a|b"),
                         lambda: "! ( -f aa && a < b )", lambda: "1 -eq 1 || -e aa", lambda: "-f aa\n&& x",
                         lambda: "v -lt 3", lambda: '"$(p3 c)" != x')()

    def inner_list(self):
        self.deep += 2
        out = self.list(2) if self.deep < 5 else self.simple()
        self.deep -= 2
        return out

    def command(self):
        if self.deep < 4 and self.chance(4):
            return self.compound()
        return self.simple()

    def pipeline(self):
        out = self.pick("! ", "") if self.chance(8) else ""
        out += self.command()
        while self.chance(5):
            out += self.pick(" | ", "|", " |\n", " |& " if self.bash else " | ")
            command = self.command()
            # a mistake that bash does not see when it is in backquotes
            out += self.simple() if command.startswith("! ") else command
        return out

    def list(self, most):
        out = self.pipeline()
        for _ in range(self.r.randrange(most + 1)):
            out += self.pick(" && ", " || ", "; ", ";", " & ", "\n", "&&", " &&\n", "\n\n", " # c ' \"\n") + \
                self.pipeline()
        return out

    def line(self):
        self.deep = 0
        out = self.pick("", " ", "\n", "# c\n") if self.chance(6) else ""
        out += self.list(3)
        if self.chance(6):
            out += self.pick("\n", "; ", " && ") + self.heredoc()
            if self.chance(2):
                out += "\n" + self.simple()
        out += self.pick("", "", "", "\n", " ", ";", " &", " # end")
        return out

    def short(self):
        """A line of few commands, as most are."""
        self.deep = 3
        if self.chance(6):
            return self.heredoc() + self.pick("", "\n", "\n" + self.simple())
        out = self.pick(self.simple, self.compound, self.rare, lambda: self.list(1),
                        lambda: self.list(1))()
        return out + self.pick("", "", "\n", " # end")

    def escapes(self):
        """A backslash before a quote in backquotes, whose meaning is the place's."""
        t = '`say \\"a b\\" \\\\x`'
        for _ in range(self.r.randrange(3)):
            t = self.pick('${u-%s}', '${v+%s}', '${v#%s}', '${v%%%%%s}', '${v/%s}' if self.bash else '%s',
                          '"%s"', '$(say %s)') % t
        return self.pick('%s', '"%s"', "; body <<E\n%s\nE\n") % t

    def rare(self, which=None):
        """Constructs that few lines have, or that seldom run something; one, or any."""
        run = self.pick("$(p1 r)", "$(say 1)", "`p2 r`")
        number = self.pick("$(say 1)", "`say 2`", "$(say 0)")
        forms = ["p1 ${u%s%s}" % (op, run) for op in ("-", ":-", "=", ":=", "?", ":?")]
        forms += ["p1 ${v%s%s}" % (op, run) for op in ("+", ":+", "#", "##", "%", "%%")]
        forms += ["p1 $((%s+1))" % number, 'p1 "`say \\"a b\\" $v`"',
                 "p4 %s" % self.escapes(),
                 "case a\nin a) %s;; esac" % self.simple(), "p1 2>&-%s" % self.pick("", " x"),
                 'p1 "$@" "${@}"', "body <<E\n%s\nE\np2" % run, "body <<-E\n\ta\n\tE\np2", "p1 [a-b] [!a]*"]
        if self.bash:
            forms += ["p1 ${v%s%s}" % (op, run) for op in ("^", "^^", ",", ",,", "~", "~~", "/")]
            forms += ["p1 ${v:%s}" % number, "p1 ${v:0:%s}" % number, "p1 ${u-<(%s)}" % self.simple(),
                      "ar[%s]=%s" % (number, self.pick("x", "$(p3)")), "p1 ${ar[%s]}" % number,
                      "declare ar=(a %s)" % run, "ar=(a %s [2]=%s) p1" % (run, run),
                      "shopt -s extglob\np1 %s" % self.pick("@(a|b)", "!(a)", "x+(b|c d)", "?(y)*(z)"),
                      "[[ a =~ %s ]] && p1" % self.pick("^(a|b)$", "(a)", "a|b"), "p1 ${v@Q}",
                      "[[ a == %s ]] && p1" % self.pick("@(a|b)", "!(a)", "+(a)"),
                      "[[ aa %s ab ]] && p1" % self.pick("-nt", "-ot", "-ef"),
                      "time\n%s" % self.simple(), "time; %s" % self.simple(), "]] %s" % self.simple(),
                      "p4 $((p2 x + %s))" % self.pick("$(case a in a) say 1;; esac)", "`say 2 # )`"),
                      "p4 $(($(say 1 '%s')+%s))" % (self.pick(")", "(", "x"), number), "!\n%s" % self.simple(),
                      "p1 2>&-x", "p1 <&-x y", "p1 $'\\c%s'" % self.pick("A", "?", "[", "x"),
                      "p1 $[%s]" % number, "coproc ar=(a) %s" % self.simple()]
        return self.r.choice(forms) if which is None else forms[which % len(forms)]

    def mutate(self, line):
        """The same with a few bytes taken out, put in, or moved."""
        s = list(line)
        for _ in range(self.r.randrange(1, 4)):
            i = self.r.randrange(len(s) + 1)
            k = self.r.randrange(4)
            if k == 0 and s:
                del s[min(i, len(s) - 1)]
            elif k == 1:
                j = self.r.randrange(len(s) + 1)
                s[i:i] = s[j:j + self.r.randrange(1, 6)]
            else:
                s.insert(i, self.r.choice("'\"`$(){}[]<>|&;#!~*?\\\n \tap1=@+-%:,^"))
        return "".join(s)


class Corpus:
    """Lines that people wrote, where they are present: POL_DATA, or beside the checkout."""

    def __init__(self):
        top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        data = os.environ.get("POL_DATA") or os.path.dirname(top) + "/shared/data"
        self.lines = [[], []]
        for name, take, to in (("bypass.tsv", self.row, 0), ("nl2bash.cm", str, 1)):
            if os.path.exists(data + "/" + name):
                with open(data + "/" + name, errors="surrogateescape") as f:
                    self.lines[to] = [t for t in map(take, f.read().split("\n")) if t]

    @staticmethod
    def row(line):
        row = line.split("\t")
        if line.startswith("#") or len(row) < 3 or row[0] == "ruleset":
            return ""
        return re.sub(r"\\(x[0-9a-f]{2}|.)", lambda m: {"n": "\n", "t": "\t", "r": "\r"}.get(
            m[1]) or (bytes.fromhex(m[1][1:]).decode("latin-1") if m[1][0] == "x" else m[1]), row[1])

    def __bool__(self):
        return any(self.lines)

    def line(self, r):
        return r.choice(r.choice([x for x in self.lines if x]))

    def programs(self):
        """All words that may be a program's name."""
        names = set()
        for line in self.lines[0] + self.lines[1]:
            names.update(re.findall(r"[A-Za-z][A-Za-z0-9_.+-]{0,30}", line))
        return names - {"shell_stub"}
