"""Where the options of each table of stdlib-policies/commands are read.

A row names the programs, the Debian package that the table is written from, and
the commands that print the options.  `fix` is what the help does not say, or not in a
form that can be read, and why; None: no option at all.  `flags` False: of flags
only one-letter ones must be in the table (there are too many others).  A
program whose file is not from its package has another version: only what both
know is compared.
"""

from pathlib import Path

NPM_OPTIONS = Path(__file__).parent / "npm_options.js"
DRIVER_OPTIONS = Path(__file__).parent / "driver_options.sh"
THOR_OPTIONS = Path(__file__).parent / "thor_options.rb"

GNU = [("list", "{p} --help", {})]
H = [("list", "{p} -h", {})]
UPPER = {"meta": r"[A-Z<\[]"}
ANGLE = {"meta": r"[<\[]"}
# util-linux sets a short help behind one blank; a value is <file>, [=file] or slave|shared
LINUX = [("list", "{p} --help", {"meta": r"[<\[]|[a-z]+\|"})]


GIT = """add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore
 check-mailmap checkout checkout-index cherry cherry-pick clean clone column commit commit-graph
 commit-tree config count-objects credential-cache describe diff difftool fast-export fetch fmt-merge-msg
 for-each-ref for-each-repo format-patch fsck gc grep hash-object help hook init interpret-trailers
 ls-files ls-remote ls-tree maintenance merge merge-base merge-file merge-tree mktag mktree
 multi-pack-index mv name-rev notes pack-objects pack-refs prune prune-packed pull push range-diff
 read-tree rebase reflog remote repack replace rerere reset restore revert rev-parse rm send-pack
 shortlog show-branch show-index show-ref sparse-checkout stash status stripspace switch
 symbolic-ref tag update-index update-ref update-server-info verify-commit verify-pack verify-tag
 worktree write-tree remote,add remote,set-url remote,update stash,push worktree,add worktree,list
 notes,add notes,append bundle,create commit-graph,write multi-pack-index,write maintenance,run
 sparse-checkout,set reflog,expire"""
GIT_MANUALS = "git-log git-diff git-submodule git-stash git-filter-branch git-bisect"
PODMAN = """attach build commit container,checkpoint cp create diff events exec export generate,systemd
 history image,prune images import info inspect kill load login logout logs manifest,add mount
 network,create pause play,kube pod,create port ps pull push rename restart rm rmi run save search
 secret,create start stats stop system,prune tag top unmount unpause update volume,create wait"""
DOCKER = """attach build commit cp create diff events exec export history images import info inspect kill
 load login logout logs pause port ps pull push rename restart rm rmi run save search start stats
 stop tag top unpause update version wait builder,build builder,prune config,create container,prune
 context,create context,update image,prune manifest,annotate manifest,create network,connect
 network,create node,update plugin,create plugin,install secret,create service,create
 service,logs service,update stack,deploy stack,ps stack,services swarm,ca swarm,init swarm,join
 swarm,update system,df system,prune trust,key,generate trust,revoke trust,sign volume,create
 volume,prune"""
CARGO = """add bench build check clean doc fetch fix generate-lockfile init install login metadata new
 owner package pkgid publish remove run rustc rustdoc search test tree uninstall update vendor yank"""
SVN = """add auth blame cat changelist checkout cleanup commit copy delete diff export import info list
 lock log merge mergeinfo mkdir move patch propdel propget proplist propset relocate resolve revert
 status switch unlock update upgrade"""
HG = """add addremove annotate archive backout bisect bookmarks branch branches bundle cat clone commit
 config copy diff export files forget graft grep heads identify import incoming init locate log merge
 outgoing phase pull push remove rename resolve revert root rollback serve shelve status summary tag
 tags tip unbundle unshelve update verify"""
PNPM = """add approve-builds audit bin config create deploy dlx doctor env exec fetch import init install
 install-test licenses link list outdated pack patch patch-commit patch-remove prune publish rebuild
 remove root run server setup start store test unlink update why"""
YARN = """access add audit autoclean bin cache check config create exec generate-lock-entry global import
 info init install licenses link list login logout node outdated owner pack policies prune publish
 remove run tag team test unlink unplug upgrade upgrade-interactive version versions why workspace
 workspaces"""
BUN = """run test add audit build check dedupe fmt info init install link outdated patch prune publish remove
 repl unlink update why"""
DENO = """run test add approve-scripts audit bench bump-version bundle cache check ci clean compile completions coverage
 create desktop doc eval fmt help info init install jupyter link lint list lsp outdated pack publish
 remove repl serve task transpile types uninstall unlink update upgrade watch why x"""
# what `openssl list -commands` names; the options of all of them are one table
OPENSSL = """asn1parse ca ciphers cmp cms crl crl2pkcs7 dgst dhparam dsa dsaparam ec ecparam enc engine errstr
 fipsinstall gendsa genpkey genrsa info kdf list mac nseq ocsp passwd pkcs12 pkcs7 pkcs8 pkey pkeyparam
 pkeyutl prime rand rehash req rsa rsautl s_client s_server s_time sess_id smime speed spkac srp storeutl
 ts verify version x509"""
GO = """bug build clean doc env fix fmt generate get install list mod,download mod,edit mod,graph mod,tidy
 mod,vendor mod,why run test testflag tool version vet work,edit work,use"""
KUBECTL = """annotate apply attach auth,can-i autoscale certificate,approve cordon cp create
 create,configmap create,secret,generic create,deployment delete describe diff drain edit exec
 explain expose get label logs patch port-forward proxy replace rollout,restart rollout,status run
 scale set,image set,env taint top,pod wait config,view config,set-context"""
GH = """alias,set api auth,login browse codespace,ssh extension,install gist,create issue,create
 issue,list pr,checkout pr,create pr,list pr,merge pr,view release,create release,upload repo,clone
 repo,create repo,fork run,list run,watch secret,set ssh-key,add workflow,run"""
POETRY = """run install add remove update build check config init lock new publish search show shell version
 cache,clear cache,list env,info env,list env,remove env,use self,add self,install self,lock self,remove
 self,show self,update source,add source,remove source,show"""
PIPX = """run install inject upgrade upgrade-all uninstall uninstall-all reinstall reinstall-all list runpip
 ensurepath environment completions"""
PIPENV = """run install check clean graph lock open requirements scripts shell sync uninstall update verify"""
# "--x / --no-x" are two, "[default|json]" is a choice
PIPENV_SED = r" | sed 's|\(--[a-z-]*\) / -|\1\n  -|; s/\[default|.*\]/TEXT/'"
MESON = """setup configure dist install introspect init test compile env2mfile rewrite wrap,list wrap,search
 wrap,install wrap,update wrap,info wrap,status wrap,promote subprojects,update subprojects,checkout
 subprojects,download subprojects,purge subprojects,packagefiles"""
AWS_S3 = "cp mv rm sync ls mb rb presign website"
LERNA = "exec run version publish list changed diff create init import clean info watch repair"
NX = """run run-many affected exec generate format:check format:write graph init list migrate release repair
 report reset show,projects show,project show,target sync watch import add connect daemon release,version
 release,changelog release,publish release,plan"""
# nx shows its options where it is installed and has a file of its own
NX_HELP = (f'd=$(mktemp -d) && cd "$d" && ln -s {Path(__file__).resolve().parents[2]}/build/npm/node_modules . && '
           'echo "{}" | tee nx.json >package.json && NX_DAEMON=false nx {s} --help; rm -r "$d"')
BUILDAH = """add build commit config containers copy from images info inspect login logout manifest,add
 manifest,annotate manifest,create manifest,inspect manifest,push mount pull push rename rm rmi run source,add
 source,create source,pull source,push tag umount unshare version"""
RUNC = """checkpoint create delete events exec kill list pause ps restore resume run spec start state update"""
CRUN = """create delete exec list kill ps run spec start state pause resume update"""
# what it lists in ten categories; as root it says nothing
MPIRUN = """export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for c in general debug output input mapping ranking binding devel compatibility launch dvm; do mpirun --help $c; done"""
FLATPAK = """install update uninstall mask pin list info history config repair create-usb search run override
 make-current enter ps kill document-export document-unexport document-info permission-remove permission-set
 permission-show permission-reset remotes remote-add remote-modify remote-delete remote-ls remote-info build-init
 build build-finish build-export build-bundle build-import-bundle build-sign build-update-repo build-commit-from repo"""
# onchange prints no options; "-a": "--add" of its source is another name, which has the type
ONCHANGE = """awk -F'"' '/^    "-/ { if ($4 ~ /^--/) print "  " $2 ", " $4 t[$4]
 else print "  " $2 (t[$2] = /Boolean/ ? "" : " VALUE") }' "$(readlink -f "$(command -v onchange)")" """
PIP = "install download uninstall freeze inspect list show check config search cache index wheel hash"
APT = "man apt-get man apt"


def each(words, command, reader="list", **kw):
    return [(reader, command.replace("{s}", w.replace(",", " ")), kw) for w in words.split()]


MAN = {"indent": (3, 14), "end": r"\s{3,}|\t"}
BUILTIN = [("usage", "bash -c 'help -s {p}'", {})]

COREUTILS = ("cat cp mv rm ln mkdir rmdir touch chmod chown chgrp install shred truncate du df stat "
             "head tail cut tr wc sort uniq split csplit expand unexpand pr tee nl paste join comm "
             "fold fmt seq od base64 base32 basename dirname readlink realpath mktemp md5sum sha1sum "
             "sha256sum sha512sum b2sum cksum shuf tac uname who ls date tsort")
WGET_FLAGS = {"--max-redirect": "V", "--hsts-file": "V"}  # "=NUMBER" is left out

SETARCH = {"--show": "A"}  # --show[=PERSONALITY] is in the manual
PRLIMIT = """-c --core -d --data -e --nice -f --fsize -i --sigpending -l --memlock -m --rss -n
 --nofile -q --msgqueue -r --rtprio -s --stack -t --cpu -u --nproc -v --as -x --locks -y
 --rttime"""


class Row:
    """names (a list where they hold blanks), package, where, {fix}, flags, where the global ones."""

    def __init__(self, names, package, sources, fix=None, flags=True, globals=None, also=(),
                 npm=False, few=False, plugins=()):
        self.names, self.package, self.sources = names, package, sources
        self.fix, self.flags, self.globals = fix or {}, flags, globals
        self.also = also  # other packages that hold the same version of it
        self.npm = npm    # the package is one of npm
        self.few = few    # it has one option, or none
        self.plugins = plugins  # packages whose options its help lists as well

    def programs(self):
        return self.names.split() if isinstance(self.names, str) else list(self.names)

    def builtin(self):
        return self.sources is BUILTIN

    def fix_of(self, program):
        return dict(self.fix.get("*", {}), **self.fix.get(program, {}))


def row_of(program):
    return next((row for row in ROWS if program in row.programs()), None)

# names, package, where, {fix}, flags
NODE_FIX = {"*": {
    "-p": "V", "--print": "V", "--inspect": "A", "--inspect-brk": "A", "--inspect-wait": "A",
}}
ROWS = [
    Row(COREUTILS, "coreutils", GNU, {
        # a constant behind "=" says what the other spelling means
        "ls": {"-p": "N"}, "sort": {"--check": "A", "-c": "N", "-C": "N"},
        # the long one may do without, the short one takes nothing
        "tail": {"-f": "N"}, "du": {"--time": "A"},
        "od": {"-S": "A"},
        "pr": {"+F": None, "-COLUMN": None, "--columns": "V"},
        "date": {"--resolution": "N"},
        "fmt": {"-WIDTH": None},
    }, True),
    Row("basenc sha224sum sha384sum sum", "coreutils", GNU, {}, True),
    Row("iconv", "libc-bin", GNU, {}, True),
    Row("ar", "binutils", GNU, {"ar": {"-NUM": None}}, True),
    Row("strings", "binutils", GNU, {"strings": {
        "-w": "N", "--include-all-whitespace": "N", "-v": "N", "--version": "N"}}, True),
    Row("column look rev hexdump ul", "bsdextrautils", LINUX, {
        "ul": {"-t": "V", "-T": "V", "--terminal": "V"}}, True),
    Row("grep egrep fgrep", "grep", GNU, {"*": {"-NUM": None}}, True),
    Row("sed", "sed", GNU, {}, True),
    Row("diff cmp diff3 sdiff", "diffutils", GNU, {
        "diff": {"-c": "N", "-u": "N", "-C": "V", "-U": "V"},
    }, True),
    Row("patch", "patch", GNU, {}, True),
    Row("gawk", "gawk", [("list", "gawk --help", {"end": r"$"})], {"gawk": {"-W": "V"}}, True),
    Row("mawk", "mawk", [("usage", "man mawk", {"only": r"SYNOPSIS.*?DESCRIPTION"})], {}, True),
    Row("tar", "tar", GNU, {}, True),
    Row("cpio", "cpio", GNU, {}, True),
    Row("gzip", "gzip", GNU, {}, True),
    Row("bzip2", "bzip2", GNU, {"bzip2": {"-1": "N"}}, True),
    Row("xz", "xz-utils", [("list", "xz --long-help", {})],
     {"xz": {"--single-stream": "N"}}, True),
    Row("zip", "zip", [("list", "man zip", MAN)], {"zip": {
        "-tt": "V", "--longoption": None, "-@": "N", "-s": "V", "--fifo": "N", "-9": "N",
        "--Q-flag": None, "-T": "E",
    }}, False),
    Row("jq", "jq", H, {"jq": {  # the help leaves these to the manual
        "-f": "V", "--from-file": "V", "-L": "V", "--library-path": "V", "--indent": "V",
    }}, True),
    Row("rg", "ripgrep", H, {}, True),
    Row("fdfind", "fd-find", H, {"fdfind": {
        "--search-path": "V", "--base-directory": "V", "-C": "V",  # -C of newer ones
    }}, True),
    Row("curl", "curl", [("list", "curl --help all", ANGLE)], {}, True),
    Row("wget", "wget", GNU, {"*": WGET_FLAGS}, True),
    Row("rsync", "rsync", [("list", "rsync --help", {"indent": (0, 12)})],
     {"rsync": {"-h": "N", "--help": "N", "--no-OPTION": None}}, True),
    Row("scp sftp", "openssh-client", [("usage", "{p}", {})], {}, True),
    # a number that stands alone behind them is their value
    Row("make", "make", GNU, {"make": {
        "-j": "E", "--jobs": "E", "-l": "E", "--load-average": "E", "--max-load": "E",
    }}, True),
    Row("ninja", "ninja-build", GNU, {}, True),
    Row("m4", "m4", GNU, {}, True),
    Row("bc", "bc", GNU, {}, True),
    Row("dc", "dc", GNU, {}, True),
    Row("man", "man-db", GNU, {"man": {"--nh": "N", "--nj": "N"}}, True),
    Row("less", "less", [("less", "less --help", {})], {"less": {"+c": None}}, True),
    Row("vim vi view ex", "vim", [("list", "vim -h", {})],
        {"*": {"-t": "V", "-s": "V"}}, True),
    Row("nano", "nano", H, {}, True),
    # the early ones are in the manual alone; what is cut short behind one dash
    Row("gdb", "gdb", [("single", "gdb --help", {})], {"gdb": dict.fromkeys(
        """--early-init-command -early-init-command --eix -eix --early-init-eval-command
        -early-init-eval-command --eiex -eiex -com* -da* -early* -ev* -init*""".split(), "V")}, True),
    Row("sqlite3", "sqlite3", [("single", "sqlite3 --help", {})], {}, True),
    Row("psql", "postgresql-client", GNU, {}, True),
    Row("redis-cli", "redis-tools", GNU, {}, True),
    Row("mysql", "mariadb-client", GNU, {}, True),
    Row("gpg", "gpg", GNU, {"gpg": {
        "-se": None,  # the manual has these:
        **dict.fromkeys("--agent-program --dirmngr-program --exec-path --keyserver-options --photo-viewer "
                        "--pinentry-program".split(), "V")}}, False),
    Row("nc", "netcat-openbsd", [("usage", "nc -h", {})],
        {"nc": {"-c": "V", "-e": "V"}}, True),
    Row("ncat", "ncat", H, {}, True),
    Row("socat", "socat", H, {}, True),
    Row("mail", "bsd-mailx", [("usage", "mail -h", {})], {"mail": {"-S": "V"}}, True),
    Row("ftp", "tnftp", [("usage", "ftp -h", {})], {}, True),
    Row("crontab", "cron", [("usage", "crontab -h", {})],
     {"crontab": {"-e": "N", "-l": "N", "-r": "N"}}, True),
    Row("at", "at", [("usage", "at -x", {})], {"at": {"-t": "V", "-c": "N"}}, True),
    Row("screen", "screen", [("list", "man screen", MAN)], {"screen": {
        "-f": "N", "-fn": None, "-fa": None, "+b": None, "-l": "N", "-L": "N", "-A": "N",
        "-p": "V", "-d": None, "-D": None, "-r": None, "-ls": "N", "-list": "N", "-wipe": None,
        "-S": "V", "-s": "V", "-t": "V",
    }}, True),
    Row("tmux", "tmux", [("usage", "tmux list-commands", {})], {}, True, [("usage", "tmux -h", {})]),
    Row("systemctl journalctl", "systemd", GNU, {}, True),
    Row("dpkg", "dpkg", GNU, {"dpkg": {
        "--assert-": None, "--validate-": None, "--force-": None, "--no-force-": None,
        "--refuse-": None, "-Dh": None, "--debug": "V",
    }}, True),
    Row("apt-get", "apt", [("list", "man apt-get", MAN)], {"apt-get": {
        # the manual shows these without their values
        "-t": "V", "--target-release": "V", "--default-release": "V", "-a": "V",
        "--host-architecture": "V", "-P": "V", "--build-profiles": "V", "-o": "V",
        "--option": "V", "-c": "V", "--config-file": "V", "-q": "A", "--quiet": "A",
        "--with-source": "V", "-eany": None, "--error-on": "V", "-e": "V", "-d": "N",
    }}, False),
    Row("file", "file", GNU, {}, True),
    Row("perl", "perl", H, {"perl": {
        "-Idirectory": None, "-I": "V", "-M": "A", "-m": "A", "-F": "A",
    }}, True),
    Row("ruby", "ruby", H, {"ruby": {
        "-Cdirectory": None, "-C": "V", "-Eex": None, "-E": "V", "-Fpattern": None, "-F": "A",
        "-Idirectory": None, "-I": "V", "-rlibrary": None, "-r": "V",
    }}, True),
    Row("php", "php", H, {}, True),
    Row("lua", "lua5.4", H, {}, True),
    Row("node", "nodejs", GNU, NODE_FIX, False),
    Row("python3", "python3", [("list", "python3 -h", {"indent": (0, 0)})],
     {"python3": {"--help-env": "N", "--help-xoptions": "N", "--help-all": "N"}}, True),
    Row("bash", "bash", GNU, {"bash": {
        # "-ilrsD or -c command or -O shopt_option", "-abefhkmnptuvxBCEHPT or -o option"
        "-ilrsD": None, "-abefhkmnptuvxBCEHPT": None, "-c": "V", "-O": "V", "-o": "V",
        "--rcfile": "V", "--init-file": "V", "+O": "V", "+o": "V",
    }}, True),
    Row("java", "openjdk-17-jre-headless", GNU, {"java": {
        "-D": "A", "-verbose": "A", "-?": "N", "-disable-": None, "-agentlib": None,
        "-agentpath": None, "-javaagent": None, "-XX*": "A", "-agentlib*": "A",
        "-agentpath*": "A", "-javaagent*": "A", "-splash": None, "--list-modules": "A",
    }}, False),
    Row("javac", "openjdk-17-jdk-headless", GNU, {"javac": {
        "-Akey": None, "-J": "A", "-J*": "V", "-Xplugin*": "V", "-processor-path": "V", "-implicit": None, "-proc": None, "-g": None,
    }}, False),
    Row("cmake ctest", "cmake", GNU, {
        "*": {"-Werror": None, "-Wno-error": None, "-usage": "N", "-h": "N", "-H": "N", "--help": None,
              "-help": "N", "--version": None, "-version": "N"},
        # a command follows, and all is opaque
        "ctest": {"--build-and-test": "V", "--test-command": "V", "--build-makeprogram": "V"},
    }, False),
    Row("mvn", "maven", GNU, {}, True),
    Row("git", "git", each(GIT, "git {s} -h") + each(GIT_MANUALS, "man {s}", **MAN),
     {"git": {"-static": None, "-M5": None, "-M05": None, "-L": None, "--remerge-diff": "N",
              "-0": "N", "-1": "N", "-2": "N", "-3": "N", "--version": "N",
              "--temp": None,  # of checkout-index, which has a table
              "--resolvemsg": "V",  # of am: "..."
              "--name": None, "--summary-limit": None,  # of submodule, whose manual has them bare
              "--no-min-parents": "N", "--no-max-parents": "N", "--no-expand-tabs": "N",
              "-P": None, "-h": None,  # of git itself, another one of subcommands
              # code places wherever they take a value; of git-send-email
              "--authors-prog": "V", "--access-hook": "V",  # of svn and daemon
              "--config": "V", "--remote": "V", "--sendmail-cmd": "V", "--smtp-server": "V",
              }}, False,
     [("list", "man git", MAN)]),
    Row("gh", "gh", each(GH, "gh {s} --help"), {"gh": {"-h": None}}, False),
    Row("podman", "podman", each(PODMAN, "podman {s} --help"),
     # the last three stand before the subcommand
     {"podman": {"-h": None, "--conmon": "V", "--network-cmd-path": "V", "--runtime": "V"}}, False),
    Row("docker", "docker.io", each(DOCKER, "docker {s} --help"), {"docker": {"-h": None}}, False,
        [("list", "docker --help", {})]),
    Row("cargo", "cargo", each(CARGO, "cargo {s} --help"), {"cargo": {
        # "[<SPEC>]": without a value it is an error that lists what there is
        **dict.fromkeys("-p --package --bin --example --test --bench".split(), "V"),
        "-h": "N", "--script": "V",  # of newer ones
    }}, False, [("list", "cargo --help", {})]),
    Row("svn", "subversion", each(SVN, r"svn help -v {s} | sed 's/^\( *-[a-zA-Z]\) \[\(--[a-z-]*\)\]/\1, \2/'",
                                  end=r"\s+:|\s{2,}"), {"svn": {
        # "If --verbose is given, …"
        "-r25": None, "--cl": "V", "--verbose": "N",
    }}, False),
    Row("hg", "mercurial", each(HG, "hg help -v {s} | sed 's/^ -\\([a-zA-Z]\\) --/ -\\1, --/; s/\\[+\\]//'",
                                meta=r"[A-Z]"), {"hg": {
        # --extension of `hg help`, --extend of bisect, --edit; elsewhere --ssh, which is code
        # "…specify it with -r/--rev"
        "-e": "V", "--rev": "V",
    }}, False),
    Row("go", "golang-go", each(GO, "go help {s}", "single"), {"go": {
        # in the text of `go help vet`; -i says that it is gone
        "-vettool": "V", "--vettool": "V", "-i": None,
    }}, False),
    Row("npm npx", "npm@10", [("list", f"node {NPM_OPTIONS} $(command -v {{p}})", {})],
        {"*": {"--_auth": None}},  # no name that the language has
        False, npm=True),
    Row("pnpm", "pnpm@9", each(PNPM, "pnpm help {s}", meta=r"<"), {"pnpm": {
        # "--filter !<pattern>" and other examples; -F is not listed, --resume-from without its value
        "--filter": "V", "-F": "V", "--reporter": "V", "--resume-from": "V",
    }}, False, npm=True),
    Row("yarn", "yarn@1", each(YARN, "yarn help {s}"), {}, False, npm=True),
    # Its command is the first word without a dash: a value before it may be one.
    Row("bun", "@oven/bun-linux-x64@1", each(BUN, "bun {s} --help | sed 's/=<val>/ [VALUE]/'"), {}, False, npm=True),
    Row("deno", "@deno/linux-x64-glibc@2", each(DENO, "deno {s} --help") + [("list", "deno --help", {})], {}, False,
        npm=True),
    Row(["bun x"], "@oven/bun-linux-x64@1", [("list", "bun x --help", {})], {}, True, npm=True),
    # its help leaves out what --package takes, and lists what --reporter may be told
    Row(["pnpm dlx", "pnpx"], "pnpm@9", [("list", "pnpm help dlx", {"meta": "<"})],
        {"*": {"--package": "V", "--reporter": "V"}}, True, npm=True),
    Row("kubectl", "kubernetes-client", each(KUBECTL, "kubectl {s} --help", "kube") +
     [("kube", "kubectl options", {})], {"kubectl": {
         "--validate": "V",  # of newer ones
     }}, False),
    Row("pip pip3", "python3-pip", each(PIP, "pip3 {s} --help"), {}, False),
    Row("read mapfile readarray complete compgen printf declare typeset export readonly bind "
     "fc enable hash command exec eval trap", "bash", BUILTIN, {}, True),
    # --- programs that run others: a value too many or too few hides the command -----------
    *[Row([f"docker {s}"], "docker.io", [("list", f"docker {s} --help", {})], {}, False) for s in ("run", "exec", "create")],
    *[Row([f"podman {s}"], "podman", [("list", f"podman {s} --help", {})], {}, False) for s in ("run", "exec", "create")],
    Row(["kubectl exec"], "kubernetes-client", [("kube", "kubectl exec --help", {}), ("kube", "kubectl options", {})], {}, False),
    Row("timeout nice stdbuf env chroot", "coreutils", GNU),
    Row("nohup dd", "coreutils", GNU, few=True),
    Row("time", "time", GNU),
    Row("setsid ionice chrt taskset unshare nsenter setpriv flock su runuser setarch linux32 "
        "linux64 prlimit more", "util-linux", LINUX, {
            # their manual says more than the help
            "flock": {"--wait": "V", "--nb": "N", "-e": "N"},
            "setarch": SETARCH, "linux32": SETARCH, "linux64": SETARCH,
            # "-m, --mount[=<file>]", but the short one takes none
            "unshare": dict.fromkeys("-i -m -n -p -u -U -C -T".split(), "N"),
            "prlimit": {o: "A" for o in PRLIMIT.split()},
        }),
    Row("script", "bsdutils", LINUX),
    # -J of BSD; the synonym of -L may go without
    Row("xargs", "findutils", GNU, {"xargs": {"-J": "V", "--max-lines": "A"}}),
    Row("find", "findutils", [("words", "find --help", {})], {"find": {
        # "[-Olevel]", "[-/]MODE", "N[bcwkMG]", "[bcdpflsD]"; two words follow -fprintf
        "-Olevel": None, "-perm": "V", "-size": "V", "-type": "V", "-xtype": "V", "-H": "N",
        "-L": "N", "-P": "N", "-D": "V", "-regextype": "V", "-fprintf": "V", "-O*": "N",
        "-newerXY": "V", "-N": None, "-ipath": "V", "-samefile": "V",
    }}),
    Row("strace", "strace", H, {"strace": {
        # "-q, --quiet=…": the long one has the value, the short one means one of them
        **dict.fromkeys("-A -D -DD -DDD -T -q -qq -qqq -r -t -tt -ttt -x -xx -y -yy -Y -ff".split(), "N"),
        "--daemonize": "A", "--quiet": "A", "--tips": "A",  # alone they are read, too
    }}),
    Row("bwrap", "bubblewrap", GNU, {"bwrap": {o: None for o in (
        # two words follow them, which no table can say: either reading counts
        "--bind --bind-data --bind-fd --bind-try --chmod --dev-bind --dev-bind-try --file --ro-bind "
        "--ro-bind-data --ro-bind-fd --ro-bind-try --setenv --symlink").split()}}),
    Row("watch", "procps", GNU),
    # "[-J [user@]host[:port]]", and what only the manual names
    Row("ssh", "openssh-client", [("usage", "{p}", {})], {"ssh": {"-J": "V"}}),
    Row("fakeroot", "fakeroot", [("list", "man fakeroot", MAN)], {"fakeroot": {
        "--faked": "V", "-f": "V", "-s": "V", "-i": "V", "-rw-r--r--": None, "-rfakeroot": None,
        "--lib": "V", "-l": "V", "-b": "V", "--fd-base": "V", "--help": "N", "--version": "N"}}),
    Row("capsh", "libcap2-bin", [("attached", "{p} --help", {})],
        {"capsh": {"-c": "V", "--mode": "A", "--no-new-privs": "N"}}),
    Row("unzip", "unzip", [("list", "man unzip", MAN)], {"unzip": {
        **dict.fromkeys("-c -D -P -q -n -o -F -s -S -2 -v -Y -s- -d -i -J -N -E".split(), None),
        "-P": "V", "-d": "V", "-q": "N", "-n": "N", "-o": "N", "-c": "N", "-v": "N", "-D": "N",
    }}),
    Row("ed", "ed", GNU),
    Row("dash", "dash", [("usage", "man dash", {})], {"dash": {"-c": "V", "+o": "V", "-s": "N"}}),
    # of "take first argument as a command"; --emulate is in the manual; +o undoes -o
    Row("zsh", "zsh", GNU, {"zsh": {"-c": "V", "--emulate": "V", "+o": "V"}}, False),
    Row("fish", "fish", [("list", "man fish", MAN)], {"fish": {"-D": "V"}}),
    Row("run-parts", "debianutils", GNU, {"run-parts": {"--exit-on-error": "N"}}),
    Row("start-stop-daemon", "dpkg", GNU,
        {"start-stop-daemon": {"-S": "N", "--start": "N"}}),  # "-- ARGUMENTS" follow
    Row("logsave", "logsave", [("usage", "{p}", {})]),
    Row("dbus-run-session", "dbus", [("list", "{p} --help", {"indent": (0, 12)})],
        {"dbus-run-session": {"--help": "N", "--version": "N"}}),
    Row("systemd-run systemd-inhibit", "systemd", GNU),
    # -h without a value is --help
    Row("sudo", "sudo", H, {"sudo": {"-E": "N", "--preserve-env": "A", "-h": "V"}}),
    Row("doas", "opendoas", [("usage", "{p}", {})], {"doas": {"-a": "V"}}),  # of OpenBSD
    Row("parallel sem", "parallel", [("list", 'man {p} | sed -n "/^OPTIONS/,/^EXAMPLE/p"', {
        "indent": (7, 7), "end": r"\s{2,}|\t| \((?=alpha|beta|obsolete|Long)"})], {
            # "-i [replace-str]" is -i or -istr
            "parallel": {**dict.fromkeys("-i --replace --max-lines -l -e --eof".split(), "A"),
                         **dict.fromkeys("-1000 -1220 -a --arg-file --limit --rpl --return".split(), None),
                         "--limit": "V", "--rpl": "V", "--return": "V", "-a": "V", "--arg-file": "V"},
            "sem": {"--semaphore-name": "V", "--semaphore-timeout": "V"}}),
    # the synopsis; "an integer value should follow" -D
    Row("expect", "expect", [("usage", "man expect", {"only": r"SYNOPSIS.*?INTRODUCTION"})],
        {"expect": {"-dDinN": None, "-c": "V", "-f": "V", "-b": "V", "-D": "V", "-": None}}),
    Row("entr", "entr", [("usage", "{p} -h", {})]),
    Row("faketime", "faketime", H),
    Row("numactl", "numactl", [("usage", "numactl --help", {})], {"numactl": {
        # "[--interleave= | -i <nodes>]"
        **dict.fromkeys("-i --interleave -p --preferred -P --preferred-many -C --physcpubind -N --cpunodebind "
                        "-m --membind -L --length -o --offset -M --shmmode -I --shmid -S --shm -f --file".split(), "V")}}),
    Row("dumb-init", "dumb-init", GNU),
    Row("tini", "tini", [("list", "tini -h", {"end": ":"})]),
    Row("proot", "proot", GNU),
    Row("tcsh", "tcsh", [("list", r"man tcsh | sed -n '/^ *Argument list processing/,/^ *Startup and shutdown/p'",
        {"indent": (5, 5), "end": r"\s{3,}|\t"})], {"tcsh": {
        "-c": "V", "-Dname": None, "--help": "N", "-Pmode": None,
    }}, False),
    Row("ksh", "ksh93u+m", [("list", "ksh --man", {})], {"ksh": {"-c": "V", "-o": "V", "+o": "V", "-R": "V"}}, False),
    Row("rlwrap", "rlwrap", [("list", "rlwrap --help", {"end": "$"})]),
    Row("torsocks", "torsocks", GNU),
    Row("proxychains4", "proxychains4", [("usage", "echo [-q] [-f FILE]", {})]),
    # -a, -c, -n, -N, -A, -p are followed by a socket
    Row("dtach", "dtach", GNU, {"dtach": dict.fromkeys("-a -A -c -n -N -p".split(), "V")}),
    Row("daemon", "daemon", GNU),
    Row("daemonize", "daemonize", [("list", "man daemonize", MAN)]),
    Row("pdsh", "pdsh", [("list", "pdsh -h", {"indent": (0, 0)})]),
    Row("sshpass", "sshpass", H),
    # its own, and those of ssh
    Row("autossh", "autossh", [("usage", "{p}", {}), ("usage", "ssh", {})], {"autossh": {"-J": "V", "-M": "V"}}),
    Row("hyperfine", "hyperfine", GNU, {"hyperfine": {"--norc": None, "-P": "V", "-L": "V"}}),
    Row("fakechroot", "fakechroot", [("usage", "fakechroot -h", {})], {"fakechroot": {
        **dict.fromkeys("-l --lib -d --elfloader -e --environment -c --config-dir -b --bindir".split(), "V")}}),
    Row("ccache", "ccache", GNU, {"ccache": {"-v": "N"}}),
    Row("dbus-launch", "dbus-x11", [("usage", "{p} --help", {})]),
    Row("ltrace", "ltrace", GNU, {"ltrace": {
        # -w where it was built with libunwind
        "-w": "V", "--where": "V", "-Dh": None, "-tt": "N", "-ttt": "N", "-D": "V"}}),
    Row("cgexec", "cgroup-tools", H),
    Row("firejail", "firejail", [("attached", "firejail --help", {})], {"firejail": {"-c": "N"}}),
    Row("mosh", "mosh", [("list", "mosh --help", {"indent": (0, 12)})], {"mosh": {
        **dict.fromkeys("-a -n -4 -6 -o".split(), "N"), "-p": "V", "--port": "V"}}),
    Row("pkexec", "pkexec", [("usage", "pkexec --help", {})], {"pkexec": {
        "--user": "V", "--disable-internal-agent": "N", "--help": "N", "--version": "N"}}),
    Row("chronic", "moreutils", [("list", "man {p}", {"indent": (7, 7)})]),
    Row("telnet", "inetutils-telnet", GNU, {"telnet": {"-S": "V"}}),  # another telnet's
    Row("xvfb-run", "xvfb", [("list", "xvfb-run --help", {"indent": (0, 0), "end": r"\s{4,}(?!-)|$"})],
        {"xvfb-run": {"-w": "V", "--wait": "V"}}),
    # Subcommands with tables of their own: what those lack is that of the program.
    Row(["git rebase", "git clone", "git fetch", "git pull", "git ls-remote", "git archive", "git grep",
         "git difftool"], "git", [("list", "{p} -h", {})], {
             # one statement of several; --exec is the old name of --upload-pack
             **dict.fromkeys(["git clone", "git fetch", "git pull", "git ls-remote"], {"--exec": "V"}),
         }, False),
    Row(["git checkout-index", "git clean"], "git", [("list", "{p} -h", {})], {}, False),
    Row(["git filter-branch", "git fetch-pack", "git submodule"], "git",
        [("usage", "FILTER_BRANCH_SQUELCH_WARNING=1 {p} -h", {})], {
            "git fetch-pack": {"--exec": "V"}, "git filter-branch": {"-d": "V"},
            "git submodule": {"--init": "N"},  # "[--init [--filter=…]]"
        }, False),
    Row(["git submodule foreach"], "git", [("usage", "echo '[-q] [--quiet] [--recursive]'", {})]),
    Row(["perf stat", "perf record", "perf trace"], "linux-perf", [("list", "{p} -h", {})], {}, False),
    Row(["git send-email"], "git-email", [("list", "git send-email -h", {"end": r"\s\*\s|$"})], {
        "git send-email": {"--header-cmd": "V",  # of newer ones
                           "--thread": None},  # a flag here, and that of git takes a value
    }, False),
    # its values stand behind "=" only
    Row("valgrind", "valgrind", [("attached", "valgrind --help", {})]),
    Row("rr", "rr", [("list", "rr --help", {"end": r"\s{2,}|$"})], {"rr": {"--disable-ptrace-exit_events": "N"}}),
    Row("lldb", "lldb", [("list", "lldb --help", ANGLE)]),
    Row("openvpn", "openvpn", [("list", "openvpn --help", {"indent": (0, 3), "end": r"\s*:|$"})]),
    Row("aria2c", "aria2", [("list", "aria2c --help=#all", {})]),
    Row("tcpdump", "tcpdump", [("usage", "tcpdump --help", {})], {"tcpdump": {
        # the manual has the long names, and -m where it was built with libsmi
        **dict.fromkeys("--buffer-size --interface --relinquish-privileges --snapshot-length -m".split(), "V")}}),
    Row("pytest", "python3-pytest", [("list", "pytest-3 --help", {})], {"pytest": {
        # "=[NAME]" is the next word or not
        "--debug": "E", "--cache-show": "E",
        # with a source or none, and another name
        "--cov": "A", "--junitxml": "V"}},
        plugins=("python3-pytest-cov", "python3-pytest-xdist")),
    Row("black", "black", GNU, {"black": {"--fast": "N", "--safe": "N"}}),
    Row("mypy", "mypy", GNU),
    Row("flake8", "flake8", GNU),
    Row(["git commit", "git merge", "git tag"], "git", [("list", "{p} -h", {})], {}, False),
    # it says nothing outside of a repository
    Row(["git stash push"], "git",
        [("list", 'd=$(mktemp -d) && cd "$d" && git init -q . && {p} -h; rm -r "$d"', {})], {}, False),
    Row("ssh-agent", "openssh-client", [("usage", "ssh-agent -h", {})]),
    Row("poetry", "python3-poetry", each(POETRY, r"poetry {s} --help | sed 's/-v|vv|vvv/-v/'"), {"poetry": {
        "-o": "E",  # --output of export, a plug-in
    }}),
    Row("pipx", "pipx", each(PIPX, "pipx {s} --help") + [("list", "pipx --help", {})]),
    Row("pipenv", "pipenv", each(PIPENV, "pipenv {s} --help" + PIPENV_SED) +
        [("list", "pipenv --help" + PIPENV_SED, {})]),
    Row("tox", "tox", [("list", "tox --help", {})]),
    Row("meson", "meson", each(MESON, "meson {s} --help") + [("list", "meson --help", {})], {"meson": {
        "--internal": "V",  # what its backends call, a command among it (mesonbuild/mesonmain.py)
    }}),
    Row(["meson devenv", "meson subprojects foreach"], "meson", GNU),
    # its help does not say which take a value: these do not, and the others' texts show one;
    # the subcommand with the place of code has every global option, too
    Row("az", "azure-cli", [("list", r"""d=$(mktemp -d); AZURE_CONFIG_DIR=$d az vm run-command invoke --help |
        sed -nE 's/^    (--[a-z-]+)( (-[a-z]))?( \[Required\])? +:.*/\1 <value>\n\3 <value>/p' |
        sed -E '/^ /d; /^-(-debug|-help|h|-no-wait|-only-show-errors|-verbose) /s/ .*//'; rm -r "$d" """,
        {"indent": (0, 0)})]),
    Row("aws", "awscli", [("list", r"aws help | sed -n 's/ (boolean)$//; s/ ([a-z]*)$/ <value>/; /^ *--/p'",
        {"indent": (7, 7)})] + each(AWS_S3, "aws s3 {s} help", "usage"), {"aws": {
            "--version": "N",  # the pages of subcommands list it with a value
            # they may go without (awscli/customizations/s3/subcommands.py)
            **dict.fromkeys("--sse --sse-c --sse-c-copy-source --request-payer".split(), "E"),
        }}, False),
    # It does not say which take a value; with these at the end of the line it misses one.
    Row("gradle", "gradle", [("list", "gradle --help", {"indent": (0, 0)})], {"gradle": dict.fromkeys(
        "-b --build-file -c --settings-file --console -D --system-prop -g --gradle-user-home -I --init-script "
        "--include-build --max-workers -P --project-prop -p --project-dir --project-cache-dir -x "
        "--exclude-task".split(), "V")}),
    # "=[OUT]" is attached, " [NUMBER]" the next word or none
    Row("rake", "rake", [("list", "rake --help | sed 's/=\\[/[/'", {})], {"rake": {"--rakelib": "V"}}),
    Row("bundle", "ruby-bundler", [("list", f"ruby {THOR_OPTIONS}", {})], {}, False),
    # "--config <file> ....... what it does"; three take a word that it does not show (lib/cli/parse.js)
    Row("nodemon", "nodemon@3", [("list", "nodemon --help options", {"end": r" \.{2,}"})], {"nodemon": {
        **dict.fromkeys("-i --ignore -e --ext -P --polling-interval".split(), "V"),
        "--help": "N", "-s": "V"}}, npm=True),
    Row("concurrently", "concurrently@9", [("yargs", "concurrently --help", {})], npm=True),
    Row("zx", "zx@8", [("list", "zx --help", {"indent": (3, 4)})], npm=True),
    # its own, and those of node
    Row("tsx", "tsx@4", [("list", "tsx --help", {})], NODE_FIX, False, npm=True),
    Row(["tsx watch"], "tsx@4", GNU, npm=True),
    Row("lerna", "lerna@8", each(LERNA, "lerna {s} --help", "yargs"), {"lerna": {
        "--since": "E",  # "If no ref is passed"
    }}, False, npm=True),
    Row(["lerna exec"], "lerna@8", each("exec", "lerna {s} --help", "yargs"), {"lerna exec": {"--since": "E"}}, False,
        npm=True),
    Row(["nx exec"], "nx@21", each("exec", NX_HELP, "yargs"), {}, False, npm=True),
    Row("nx", "nx@21", each(NX, NX_HELP, "yargs"), {}, False, npm=True),
    # "[bin|lib]" is a choice
    Row("rustc", "rustc", [("list", r"rustc --help -v | sed 's/ \[\([a-z|-]*\)\]/ \1/'", {})]),
    Row("openssl", "openssl", each(OPENSSL, "{p} {s} -help", indent=(1, 1), end=r"\s{2,}|(?<=\S) (?=[A-Z][a-z])"),
        {}, True),
    # It reads one dash as two; -o, -s and -P are said with the letter behind them.
    Row("nmap", "nmap", [("list", "nmap --help", {"indent": (2, 2), "end": r":(?= |$)|;"})], {"nmap": {
        **dict.fromkeys("-PS -PO".split(), "A"), **dict.fromkeys("-PE -sS -sY -sN -n -sO".split(), "N"),
        **dict.fromkeys("--max-hostgroup --max-parallelism --max-rtt-timeout --initial-rtt-timeout".split(), "V"),
    }}, False),
    Row("tshark dumpcap", "tshark", [("list", "{p} -h", {"indent": (2, 2)})], {
        "tshark": {"-w": "V", "-G": "E"}}, also=("wireshark-common",)),
    Row("sshfs", "sshfs", GNU),
    # They take the next word where it may be one (options.go: optionalNumeric, optionalNextString)
    Row("fzf", "fzf", GNU, {"fzf": dict.fromkeys("-m --multi --border --scrollbar -s --sort".split(), "E")}),
    Row("ansible", "ansible-core", [("list", "LC_ALL=C.UTF-8 ansible --help", {})]),
    # "--param" asks for no value where it has none; places of code that are attached
    Row("gcc g++ cpp", "gcc", [("list", f"bash {DRIVER_OPTIONS} {{p}}", {})], {"*": {
        "--param": "V", **dict.fromkeys("-specs* --specs* -fplugin* -iplugindir* -fmodule-mapper* -Wl* -Wp* --prefix* "
                                        "--for-linker*".split(), "A"),
    }}, False, also=("g++-12", "cpp-12")),
    Row("clang", "clang", [("list", f"bash {DRIVER_OPTIONS} {{p}}", {})], {"clang": dict.fromkeys(
        "--config* -fplugin* -fpass-plugin* -fuse-ld* --ld-path* --gcc-toolchain* --gcc-install-dir* "
        "-cc1* --driver-mode* --cuda-path* --ptxas-path* --hipspv-pass-plugin* --amdgpu-arch-tool* -Wl* -Wp* --prefix* "
        "--for-linker*".split(), "A",
    )}, False),
    Row("buildah", "buildah", each(BUILDAH, "buildah {s} --help") + [("list", "buildah --help", {})], {}, False),
    Row("runc", "runc", each(RUNC, "runc {s} --help") + [("list", "runc --help", {})], {}, False),
    Row("crun", "crun", each(CRUN, "crun {s} --help") + [("list", "crun --help", {})], {}, False),
    # packages follow "<package>+", as operands
    Row("rpm rpmbuild rpmspec", "rpm", GNU, {
        "rpm": {**dict.fromkeys("-e --erase -F --freshen -U --upgrade --reinstall --restore".split(), "N"),
                "--pipe": "V", "--qf": "V"},  # "missing argument", it says
    }, False, also=("rpm-common",)),
    # two words follow --alias, and the second holds options
    Row("yt-dlp", "yt-dlp", GNU, {"yt-dlp": {"--alias": "E", "--replace-in-metadata": "E"}}, False),
    Row("batcat", "bat", GNU),
    Row("ag", "silversearcher-ag", [("list", "ag --help", {"end": r"\s{2,}(?!PATTERN)"})], {"ag": {
        # "[LINES]" is attached to the long ones; and what it lists without its value
        **dict.fromkeys("-A -B -C -G --color-match --color-path --color-line-number --file-search-regex --workers "
                        "--pager".split(), "V"),
        **dict.fromkeys("--after --before --context".split(), "A"),
    }}, False),
    Row("ack", "ack", [("list", "man ack | sed 's/, --nopager//; s/, --range-end=.*//; s/, --no-smart-case//'",
                         {"indent": (7, 7), "end": r"\s{2,}"})], {"ack": {
        "-m": "V", "--ackrc": "V", "--range-end": "V",
        **dict.fromkeys("--noTYPE --TYPE --eiffel --noeiffel".split())}}, False),
    # what ends in a dash is of a language, "--regex-<LANG>="
    Row("ctags", "universal-ctags", [
        ("attached", "ctags --help | sed '/^  -[A-Za-z] /d'", {"indent": (2, 2)}),
        ("list", "ctags --help | grep '^  -[A-Za-z] '", {"indent": (2, 2)})], {"ctags": dict.fromkeys(
            "--input-encoding- --alias- --map- --extras- --fields- --kinds- --roles- --kinddef- --mline-regex- "
            "--regex- --param-".split())}, False),
    Row("nvim", "neovim", [("list", "nvim --help", {"indent": (2, 2)})], {"nvim": {
        "-t": "V", "-q": "E",  # of its usage
        "-c": "V", "--remote": "N", "--remote-subcommand": None, "--remote-send": "V", "--remote-expr": "V",
    }}),
    # -e is -f, and -x is --script (startup.el, emacs.c)
    Row("emacs", "emacs-nox", [("single", "emacs --help", {"indent": (0, 0)})], {"emacs": {
        "-color": "A", "--color": "A", "-x": "V", "-e": "V", **dict.fromkeys("+L -+L --+L".split()),
    }}, also=("emacs-bin-common",)),
    Row(["buildah unshare"], "buildah", GNU),
    # With -e the operands are code.
    Row("emacsclient", "emacs-bin-common", [("list", "emacsclient --help", {"indent": (0, 0)})],
        {"emacsclient": {"-e": "E", "--eval": "E"}}, also=("emacs-nox",)),
    # "--mca <name> <value>": either reading counts
    Row("mpirun", "openmpi-bin", [("list", MPIRUN + " | grep -v '<arg1>'", {"indent": (0, 3), "meta": "<"})],
        {"mpirun": dict.fromkeys("-mca --mca -gmca --gmca -h --help".split(), "E")}, False),
    Row("bear", "bear", GNU),
    # "[title]" must be there
    Row("scan-build", "clang-tools", [("list", "scan-build --help | sed '/=\\[/d; s/\\[/</'", {"indent": (1, 1)})],
        {}, False),
    Row("heaptrack", "heaptrack", [("list", "heaptrack --help", {"indent": (1, 2)})], {"heaptrack": {
        "-o": "V", "--output": "V", "--output-file": "V"}}),
    Row(["uftrace", "uftrace record", "uftrace live"], "uftrace", [("list", "uftrace --help", {})],
        {"*": {"--clock": "V"}}),
    Row("chpst", "runit", [("usage", "chpst", {})], {"chpst": {"-l": "V"}}),  # "[-l|-L lock]"
    Row("softlimit", "daemontools", [("usage", "softlimit", {})]),
    Row("s6-envdir", "s6", [("usage", "s6-envdir", {})]),
    # the column behind the option is its variable
    Row("qemu-x86_64", "qemu-user",
        [("list", "qemu-x86_64 --help | sed 's/ *QEMU_.*//'", {"indent": (0, 0), "end": r"\s{2,}"})],
        {"qemu-x86_64": dict.fromkeys("-seed -trace -plugin".split(), "V")}),
    Row("schroot", "schroot", [("list", r"schroot --help | sed 's/ \[ \(--[a-z-]*\) \]/, \1/'", {})]),
    Row("parallel-ssh", "pssh", GNU),
    Row("clush", "clustershell", GNU),
    # "[machinename]" must be there; and two that are shown without
    Row("dsh", "dsh", [("list", "dsh --help | sed 's/ \\[/ </'", {"indent": (0, 0)})], {"dsh": {
        **dict.fromkeys("-b --bufsize -n --num-topology".split(), "V")}}),
    Row("retry", "retry", GNU),
    Row("xterm", "xterm", [("list", "xterm -help", {"indent": (4, 4)})], {"xterm": {"-Sccn": None}}, False),
    # of the usage: it may do without
    Row("lxc-attach lxc-execute", "lxc", GNU, {"lxc-attach": {
        "-e": "A", "--elevated-privileges": "A", "-v": "V", "--set-var": "V", "--keep-var": "V"}}),
    Row("systemd-nspawn machinectl", "systemd-container", GNU),
    # minimist: every option takes the next word that has no dash
    Row("dotenv", "dotenv-cli@7", [("list", "dotenv --help", {})], {"dotenv": {
        **dict.fromkeys("-o --override --debug".split(), "E"), "--help": "N", "--no-expand": "N"}}, npm=True),
    Row(["dotenvx run"], "@dotenvx/dotenvx@1", GNU, npm=True),
    Row("env-cmd", "env-cmd@10", GNU, npm=True),
    Row("onchange", "onchange@7", [("list", ONCHANGE, {})], npm=True),
    Row("chokidar", "chokidar-cli@3", [("yargs", "chokidar --help", {})], npm=True),
    # "[code]" must be there; -p of older ones took it
    Row("ts-node", "ts-node@10", [("list", "ts-node --help | sed 's/ \\[/ </'", {})],
        {"ts-node": {**dict.fromkeys("-p --print -pe".split(), "E"), "--cwd": "V", "--scopeDir": "V"}}, npm=True),
    Row("wait-for-it", "wait-for-it", GNU),
    Row("R", "r-base-core", GNU),
    Row("Rscript", "r-base-core", GNU, {"Rscript": {"-e": "V"}}),
    Row("lftp", "lftp", GNU),
    Row("mutt", "mutt", [("list", "mutt -h | expand", {"indent": (2, 2)})]),
    Row("debootstrap", "debootstrap", GNU),
    Row("mmdebstrap", "mmdebstrap",
        [("list", "man mmdebstrap | sed 's/,-/, -/g'", {"indent": (7, 7), "end": r"\s{3,}"})]),
    # "[STRING]" is the next word or none
    Row("fab", "fabric", GNU, {"fab": {
        "-i": "V", "--identity": "V", **dict.fromkeys("-h --help -l --list".split(), "E")}}),
    Row("flatpak", "flatpak", each(FLATPAK, "flatpak {s} --help"), {}, False),
    # "-w[+|!] EXT" is followed by a word
    Row("exiftool", "libimage-exiftool-perl", [("list",
        r"man exiftool | sed -n '/^   Option Overview/,/^   Option Details/p' | "
        r"sed 's/^\( *-[^ ]*\( \[*[A-Z]*\]*\)\{0,1\}\) *(\(-[a-zA-Z0-9]*\)).*/\1, \3/'",
        {"indent": (9, 9)})], {"exiftool": {
            **dict.fromkeys("-w -textOut -W -tagOut -ext -extension -fileOrder -echo -efile".split(), "V"),
            # in any case
            **dict.fromkeys("-if* -If* -iF* -IF* -Config -CONFIG -Use -USE".split(), "V"),
            "-charset": "E", "-n": "N", "-e": "N", "-U": "N",
            **dict.fromkeys("-TAG -TAG- --TAG -if".split())}}, False),
    Row("ffmpeg ffprobe ffplay", "ffmpeg",
        [("list", "{p} -hide_banner -h long | sed '/AVOptions/,$d'", {"indent": (0, 0), "end": r"\s{2,}"})], {
            # "Missing argument for option", it says of these alone
            "ffmpeg": {**dict.fromkeys("""-apad -async -autorotate -autoscale -copypriorss -discard -disposition -top
                -vsync -filter_complex_threads -filter_threads -fps_mode -frame_drop_threshold -guess_layout_max
                -reinit_filter -seek_timestamp -thread_queue_size -vstats_version""".split(), "V"),
                       **dict.fromkeys("-sinks -sources -xerror".split(), "N")},
            "ffprobe": dict.fromkeys("-show_data_hash -show_log -show_optional_fields".split(), "V"),
            "ffplay": {**dict.fromkeys("-drp -filter_threads -lowres".split(), "V"), "-i": "N"},
            "*": {"-hide_banner": "N", **dict.fromkeys("-h -? -help --help".split(), "E")},
        }, False),
    # two words follow some: either reading counts
    Row("convert mogrify identify composite montage", "imagemagick",
        each("convert mogrify identify composite montage", "{s} -help | sed '/^  -annotate\\|-distort\\|-evaluate/d'",
             indent=(2, 3)), {}, False, also=("imagemagick-6.q16",)),
    Row("tmate", "tmate", [("list", "tmate -h", {"indent": (1, 1)})]),
    # what a short one takes is attached, but for the architectures
    Row("dpkg-buildpackage", "dpkg-dev", [("attached", "dpkg-buildpackage --help | sed 's/, --build=.*//'", {})], {
        "dpkg-buildpackage": {"--hook-": None, "--hook-*": "A", "-s": "A", **dict.fromkeys(
            "-a --host-arch -t --host-type --target-arch --target-type".split(), "V")}}, False),
    Row("foreman", "ruby-foreman", each("run start check export",
        r"foreman help {s} | sed 's/\[\(--[^]]*\)\]/\1/g; s/, --no-color//'"), {}, False),
    Row("ifne", "moreutils", [("usage", "man ifne", {})], few=True),
    Row("ld.so", "libc6", GNU),
    Row("memusage", "libc-devtools", [("list", "memusage --help | sed 's/,--/, --/'", {})]),
    Row("sotruss", "libc-devtools", GNU),
    Row("arch-chroot", "arch-install-scripts", H),
    Row("neomutt", "neomutt", [("list", "neomutt -h", {"indent": (2, 2)})]),
    Row("sccache", "sccache", GNU),
]

# Debian has had several releases of these: the table may know more than the one here.
SEVERAL = {"bun x"} | set("""Rscript cargo docker dotenv emacs fzf go gradle hyperfine kubectl less node npm npx nvim
 pnpm rg rsync rustc tox tsx yt-dlp""".split())
# In every Debian 12; the others are in the lists of `dev`, or are not needed there.
ESSENTIAL = """apt bash bsdutils coreutils dash debianutils diffutils dpkg findutils grep gzip
 perl sed tar util-linux""".split()
LEAST = 205  # tables that must have been compared

# The same program under another name, or one that reads the same options.
SAME = {
    "hd": "hexdump", "gunzip": "gzip", "zcat": "gzip", "bunzip2": "bzip2", "bzcat": "bzip2", "unxz": "xz",
    "xzcat": "xz", "lzma": "xz", "unlzma": "xz", "lzcat": "xz", "netcat": "nc", "mailx": "mail",
    "gpg2": "gpg", "apt": "apt-get", "aptitude": "apt-get", "apt-cache": "apt-get",
    "apt-mark": "apt-get", "gmake": "make", "python": "python3", "python2": "python3",
    "pypy": "python3", "pypy3": "python3", "nodejs": "node", "luajit": "lua", "mariadb": "mysql",
    "batch": "at", "yarnpkg": "yarn", "py.test": "pytest", "pico": "nano", "rnano": "nano",
    "fd": "fdfind", "bat": "batcat", "tini-static": "tini", "docker-init": "tini",
    **dict.fromkeys("ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1".split(), "ld.so"),
    "chokidar-cli": "chokidar", "wait-for-it.sh": "wait-for-it",
    "pssh": "parallel-ssh", "mpiexec": "mpirun", "orterun": "mpirun", "uxterm": "xterm", "vimdiff": "vim",
    "rvim": "vim", "rview": "vim", "awk": "gawk", "bunx": "bun x", "cc": "gcc", "c++": "g++",
    **dict.fromkeys("gfortran gdc gccgo gm2".split(), "gcc"), "pdb3": "pdb",
    "clang++": "clang", "gradlew": "gradle", "bundler": "bundle",
    **dict.fromkeys("""qemu-i386 qemu-aarch64 qemu-arm qemu-riscv64 qemu-ppc64le qemu-s390x qemu-mips qemu-x86_64-static
     qemu-i386-static qemu-aarch64-static qemu-arm-static qemu-riscv64-static qemu-ppc64le-static
     qemu-s390x-static""".split(), "qemu-x86_64"),
    **{f"python3.{n}": "python3" for n in range(9, 14)}, **{f"lua5.{n}": "lua" for n in range(1, 5)},
}

# Tables that are not compared, and why.
NOT_DEBIAN = "Debian 12 and npm do not offer it"
NO_LIST = "its help lists no options, or not in a form that says what takes a value"
FAMILY = "several programs share the table; each knows more options than stand there"
LEFT = "Debian or npm has it, or it is a script of a project; nothing reads its help yet"
FILES = "the table only says which files it runs by itself, or that it makes none"
NONE = "it reads no option of its own, or only its command"
OURS = "our own; tests/live/outputs.sh compares their files with what they say of their options"


def because(*pairs):
    return {p: why for why, names in pairs for p in names.split()}


UNCHECKED = because(
    (NOT_DEBIAN, """magick ld-musl-x86_64.so.1 uv uvx helm terraform tofu hatch conda mamba ruff
     micromamba FEXBash FEXInterpreter fex-emu box64 box86 air asdf aws-vault bazel bazelisk
     chamber chroot-distro chroot-exec colima devbox docker-compose dockerize doppler enroot fly flyctl fnm
     forego gcloud goenv infisical jenv junest just k3s limactl minikube mise multipass nerdctl
     nodenv nsjail nvm oc op overmind please plenv prun railway reflex rtx run0 rye singularity
     apptainer sops su-exec teller udocker volta wait-for wait4x watchexec werf wezterm youki
     powershell pwsh pwsh-preview nu oil osh ysh ion murex matlab osascript mathematica
     wolframscript dotnet dotnet-script csharp fsharpi scala-cli loksh oksh d8 bb luau chef-apply
     tcsh-static xonsh3 yue jjs nashorn txr swift ptyxis condor_run bsub aprun jsrun memray
     scalene kernprof viztracer py-spy kotlinc skim sk delta catchsegv salt salt-call salt-ssh
     latrace dchroot lima tailscale tsh wsl"""),
    (FAMILY, """gvim gview vimx littler r julia ghc ghci runghc runhaskell octave
     octave-cli sage maxima gap gp scilab scilab-cli elixir iex mix erl escript scala groovy
     kotlin clojure clj jruby jython racket guile gsi csi sbcl clisp ecl ccl ocaml crystal nim
     raku rakudo pil picolisp janet fennel gjs cjs qjs js rhino jshell coffee ipython ipython3
     bpython ptpython micropython pike rexx hy pry irb stap bpftrace xonsh elvish es rc yash mksh
     lksh posh urxvt rxvt st konsole alacritty lxterminal terminator mate-terminal xfce4-terminal
     tilix x-terminal-emulator gnome-terminal kitty foot footclient ctr lxc incus snap ch-run
     pexec srun salloc oshrun qsub pg most sbatch"""),
    (NO_LIST, "red tclsh wish gnuplot sh ash rbash csh busybox toybox ip sg newgrp"),
    (NONE, """builtin eatmydata setlock unbuffer wine wine64 mono x86_64 i686 i586 i486 i386
     aarch64 arm64 armv7l ppc64le s390x uname26 setuidgid envuidgid envdir gosu rsh torify tsocks
     proxychains cross-env cross-env-shell direnv rbenv s6-setuidgid distcc icecc pump colorgcc
     rootlesskit corepack mount.fuse fuse-sshfs fusermount"""),
    (FILES, """: [ [[ ansible-playbook ant bmake cd composer cypress echo eslint false go-task grunt gulp inv
     invoke jest lefthook mocha next phpunit playwright pmake pre-commit prettier pwd pylint rollup rspec
     samu scons sleep sphinx-build stylelint task test true type vagrant vite vitest webpack which
     . exa expr eza factor fuser hadolint id jobs jsonlint kill local locale lsd lsof numfmt pgrep popd ps
     pushd return set shellcheck shift source umask unset wait yamllint
     addr2line as c++filt dwp elfedit gold gprof groff ld ld.bfd ld.gold ld.lld ld.mold nm nroff objcopy objdump
     ranlib readelf size strip troff"""),
    (LEFT, """abcl abduco adb colordiff csvcut hexyl history sponge unlink xxd zgrep zless zmore zstd unzstd zstdcat zstdmt xgettext msgcat pax babel-node bosh bsh charliecloud configure crictl cscope debuild distrobox
     distrobox-enter distrobox-ephemeral dotenvx dtrace envchain fatrace flatpak-spawn heroku honcho intercept-build
     kcov kgx multitail newlisp nix nix-env nix-shell nox pdksh pdm perf perl6 pg_ctl podman-compose prettyping
     puppet pyenv regina run-mailcap rush rustup scan-build-py server-test start-server-and-test
     clippy-driver dpkg-architecture dot neato twopi circo fdp sfdp osage patchwork rename prename file-rename editor pdb prove rust-gdb rustdoc rustfmt sensible-editor systemtap toolbox tree-sitter wireshark xdg-open youtube-dl"""),
    (OURS, "polc polquery polrun"),
)

UNCHECKED["git update-index"] = LEFT

# Subcommands of these have tables, and are not compared.
SUBCOMMANDS = set("""adb apptainer aws aws-vault bazel bazelisk buildah cargo chamber colima corepack
 crictl crun ctr devcontainer distrobox docker docker-compose doppler dotenv flatpak incus k3s kubectl
 lxc machinectl microk8s nerdctl nomad oc podman podman-compose runc singularity tailscale toolbox tsh youki
 dotenvx fly flyctl fnm gcloud gh heroku infisical limactl minikube mise multipass nix npm nvm op
 openssl perf pnpm polc polquery railway rr rtx rustup sops teller vagrant volta wezterm yarn yarnpkg""".split())
