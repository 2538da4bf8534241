"""Records which names each agent looks for in a project, above it and in HOME, from a trace of its system calls
in an empty folder.  tests/lint/kept_names.py compares the record with the floor without any agent.

    tests/agents/names.py [--write] [--agents FOLDER] [NAME…]

Needs root, npm's registry, strace and unshare.  Each package is installed in a folder of its own below FOLDER
(/var/tmp/pol-agent-names, which stays), and started twice, once with a prompt and once at a terminal, in a network
namespace that has nothing but a loopback interface and tests/agents/model.py.  Prints the names that are new and those
that no row of stdlib-policies/names.tsv judges; with --write the rows of these agents in tests/data/agent_names.tsv are
replaced by what was seen.
"""
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RECORD = os.path.join(TOP, "tests/data/agent_names.tsv")
HEAD = """# What agents look for at their start: written by tests/agents/names.py, read by tests/lint/kept_names.py.
# package@version	where	name, of two components at most
# where: project (an empty git repository, in which the agent was started), above (a folder above it, below HOME), home
"""
MODEL = "http://127.0.0.1:@PORT@"
# What starts each of them with a prompt: the package, its program (in node_modules/.bin, or in the package), the words
# behind it, variables.  Crush is not among them: its package downloads its program from elsewhere.
AGENTS = [
    ("@anthropic-ai/claude-code", "claude", ["-p", "hello"], {"ANTHROPIC_BASE_URL": MODEL, "ANTHROPIC_API_KEY": "none"}),
    ("@openai/codex", "codex", ["exec", "hello"], {"OPENAI_API_KEY": "none", "CODEX_API_KEY": "none", "OPENAI_BASE_URL": MODEL + "/v1"}),
    ("@google/gemini-cli", "gemini", ["-m", "gemini-2.5-flash", "-p", "hello"],
     {"GOOGLE_GEMINI_BASE_URL": MODEL, "GEMINI_API_KEY": "none", "GEMINI_CLI_TRUST_WORKSPACE": "true"}),
    ("opencode-ai", "opencode", ["run", "hello"], {"ANTHROPIC_API_KEY": "none"}),
    ("@qwen-code/qwen-code", "qwen", ["-p", "hello"], {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": MODEL + "/v1", "OPENAI_MODEL": "x"}),
    ("@earendil-works/pi-coding-agent", "pi", ["-p", "hello"], {"ANTHROPIC_API_KEY": "none"}),
    ("@github/copilot", "copilot", ["-p", "hello"], {"GH_TOKEN": "none"}),
    ("@ampcode/cli-linux-x64", "amp", ["-x", "hello"], {"AMP_API_KEY": "none", "AMP_URL": MODEL}),
    ("cline", "cline", ["hello"], {"ANTHROPIC_API_KEY": "none"}),
    ("@kilocode/cli-linux-x64", "bin/kilo", ["run", "hello"], {"ANTHROPIC_API_KEY": "none"}),
    ("@continuedev/cli", "cn", ["-p", "hello"], {"ANTHROPIC_API_KEY": "none", "CONTINUE_API_KEY": "none"}),
    ("@augmentcode/auggie", "auggie", ["--print", "hello"], {"AUGMENT_SESSION_AUTH": "{}"}),
    ("@factory/cli-linux-x64", "bin/droid", ["exec", "hello"], {"FACTORY_API_KEY": "none"}),
    ("@vibe-kit/grok-cli", "grok", ["-p", "hello"], {"GROK_API_KEY": "none", "GROK_BASE_URL": MODEL + "/v1"}),
]
SECONDS = 25
# What follows a name that was made up at the start: processes, times, random words.
MADE_UP = re.compile(r"[0-9a-f]{8,}|\d{5,}|\.tmp\b|[0-9a-f]{8}-[0-9a-f]{4}|~$|(?i:\b[0-9A-Z]{16,})")
# One call: the words between quotes are paths; a directory's own path stands in <> behind its descriptor.
CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)")
AT = re.compile(r'(?:AT_FDCWD|\d+)<([^>]*)>, "((?:[^"\\]|\\.)*)"')
PLAIN = re.compile(r'^"((?:[^"\\]|\\.)*)"')


def install(folder, package, needs_node):
    """The folder in which npm has put the package, or None."""
    at = os.path.join(folder, package.lstrip("@").replace("/", "+"))
    os.makedirs(at, exist_ok=True)
    words = ["npm", "install", "--loglevel=error", "--no-audit", "--no-fund", "--prefix", at, package + ("@22" if needs_node else "@latest")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode == 0:
        return at
    # a script of the package that downloads something else; the package may work without it
    done = subprocess.run(words + ["--ignore-scripts"], capture_output=True, text=True, timeout=900, check=False)
    return at if done.returncode == 0 else None


def program_of(folder, agent):
    """The program, or None if it is not installed."""
    at = os.path.join(folder, agent[0].lstrip("@").replace("/", "+"), "node_modules")
    for path in (os.path.join(at, agent[0], agent[1]), os.path.join(at, ".bin", agent[1])):
        if os.path.isfile(path):
            return path
    return None


def version_of(at, package):
    with open(os.path.join(at, "node_modules", package, "package.json"), encoding="utf-8") as f:
        return json.load(f)["version"]


def read_trace(path, places):
    """{(where, name)} of the calls of one trace.  places: [(where, folder)], the deepest first."""
    seen = set()
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            call = CALL.match(line)
            if not call:
                continue
            pairs = AT.findall(call[2])
            plain = PLAIN.match(call[2])
            if plain:
                pairs = [("", plain[1])]
            for base, name in pairs:
                whole = os.path.normpath(os.path.join(base or "/", name))
                for where, folder in places:
                    if whole.startswith(folder + "/"):
                        rest = whole[len(folder) + 1:].split("/")[:2]
                        if not MADE_UP.search(rest[0]):
                            seen.add((where, "/".join(rest if len(rest) == 1 or not MADE_UP.search(rest[1]) else rest[:1])))
                        break
    return seen


def run_traced(words, env, cwd, trace, terminal):
    """Starts it for SECONDS at most, and ends what is left of its own session."""
    words = ["strace", "-f", "-qq", "-y", "-s", "4096", "--seccomp-bpf", "-e", "trace=%file,inotify_add_watch", "-o", trace] + words
    main, inner = pty.openpty() if terminal else (None, None)
    with open(trace + ".said", "wb") as said:
        child = subprocess.Popen(words, cwd=cwd, env=env, start_new_session=True, stdin=inner if terminal else subprocess.DEVNULL,
                                 stdout=inner if terminal else said, stderr=inner if terminal else said)
        if terminal:
            os.close(inner)
        begun, entered = time.monotonic(), 0
        while time.monotonic() - begun < SECONDS and child.poll() is None:
            if terminal:
                ready, _, _ = select.select([main], [], [], 0.5)
                try:
                    if ready:
                        said.write(os.read(main, 65536))
                    # questions about trust and colours are answered as they are offered
                    if time.monotonic() - begun > 4 * (entered + 1) and entered < 4:
                        entered += 1
                        os.write(main, b"\r")
                except OSError:
                    break
            else:
                time.sleep(0.2)
    if terminal:
        os.close(main)
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()


def look(folder, agent, port, keep):
    """{(where, name)} of one agent."""
    package, program, words, variables = agent
    seen = set()
    for terminal in (False, True):
        work = tempfile.mkdtemp(prefix="pol-names-", dir="/var/tmp")
        home, above, project = work + "/home", work + "/home/above", work + "/home/above/project"
        os.makedirs(project)
        subprocess.run(["git", "init", "-q", project], check=True, env={"PATH": os.environ["PATH"], "HOME": home})
        env = {"HOME": home, "PATH": os.path.join(folder, "node/node_modules/node/bin") + ":" + os.environ["PATH"], "LANG": "C.UTF-8",
               "TERM": "xterm-256color", "USER": "somebody", "DISABLE_AUTOUPDATER": "1", "SHLVL": "1"}
        env.update({k: v.replace("@PORT@", port) for k, v in variables.items()})
        run_traced([program_of(folder, agent)] + ([] if terminal else words), env, project, work + "/trace", terminal)
        seen |= read_trace(work + "/trace", [("project", project), ("above", above), ("home", home)])
        if keep:
            os.makedirs(keep, exist_ok=True)
            for end in ("", ".said"):
                shutil.copy(work + "/trace" + end, os.path.join(keep, os.path.basename(program) + ("-terminal" if terminal else "") + end))
        shutil.rmtree(work)
    return {(where, name) for where, name in seen if not (where == "project" and (name == ".git" or name.startswith(".git/")))
            and not (where == "above" and name.split("/")[0] == "project") and not (where == "home" and name.split("/")[0] == "above")}


def read_record():
    rows = {}
    if os.path.exists(RECORD):
        with open(RECORD, encoding="utf-8") as f:
            for line in f:
                if not line.startswith("#"):
                    source, where, name = line.rstrip("\n").split("\t")
                    rows.setdefault(source.rpartition("@")[0], set()).add((source, where, name))
    return rows


def main(words):
    write, keep, folder = "--write" in words, None, "/var/tmp/pol-agent-names"
    words = [w for w in words if w != "--write"]
    for option in ("--agents", "--keep", "--inside"):
        if option in words:
            at = words.index(option)
            if option == "--agents":
                folder = words[at + 1]
            elif option == "--keep":
                keep = words[at + 1]
            del words[at:at + 2]
    if "POL_NAMES_INSIDE" not in os.environ:
        os.makedirs(folder, exist_ok=True)
        install(folder, "node", True)
        for package, *_ in AGENTS:
            if not words or any(w in package for w in words):
                if "POL_NAMES_INSTALLED" not in os.environ and not install(folder, package, False):
                    print(f"skip {package}: npm did not install it", file=sys.stderr)
        os.execvpe("unshare", ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable] + sys.argv,
                   dict(os.environ, POL_NAMES_INSIDE="1"))
    with tempfile.TemporaryDirectory() as work:
        model = subprocess.Popen([sys.executable, os.path.join(TOP, "tests/agents/model.py"), work + "/port", work + "/log"])
        while not os.path.exists(work + "/port") or not os.path.getsize(work + "/port"):
            time.sleep(0.1)
        port, rows = open(work + "/port", encoding="utf-8").read().strip(), read_record()
        for agent in AGENTS:
            package = agent[0]
            at = os.path.join(folder, package.lstrip("@").replace("/", "+"))
            if (words and not any(w in package for w in words)) or not program_of(folder, agent):
                continue
            source = package + "@" + version_of(at, package)
            got, was = look(folder, agent, port, keep), {(w, n) for _, w, n in rows.get(package, ())}
            print(f"{source}: {len(got)} names", *(f"\n  new\t{w}\t{n}" for w, n in sorted(got - was)), sep="")
            rows[package] = {(source, w, n) for w, n in got}
        model.kill()
    if write:
        with open(RECORD, "w", encoding="utf-8") as f:
            f.write(HEAD + "".join("\t".join(r) + "\n" for r in sorted(set().union(*rows.values()))))
    return subprocess.run([sys.executable, "tests/lint/kept_names.py"], cwd=TOP, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
