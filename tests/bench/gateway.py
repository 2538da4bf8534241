#!/usr/bin/env python3
"""The egress gateway beside its peers, in one run and with one client.

usage: gateway.py BUILD [ROUNDS].  As root, since nobody else can make the network and look at
the peers' memory; all that is measured runs as an ordinary user (POL_BENCH_USER).

    direct           no sandbox
    polrun           network limited, a rule for the server's address
    slirp4netns      its tap device in a user and network namespace (mtu 65520)
    pasta            the same with pasta; `-T`: its splice for forwarded ports of the loopback
    sandbox-runtime  Anthropic's (npm), through its HTTP proxy with CONNECT

The server is in a network namespace of its own, behind a pair of veth, at 203.0.113.1.  (What
`pasta -T` forwards to is the host's loopback, where a second one listens.)
"""
import glob
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SERVER, PORT = "203.0.113.1", 5432
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
SRT = f"{ROOT}/build/bench-peers/node_modules/.bin/srt"
COLUMNS = ("direct", "polrun", "slirp4netns", "pasta", "pasta -T", "sandbox-runtime")


def call(*argv, **more):
    return subprocess.run(argv, check=True, **more)


def in_namespaces():
    """This program again, in a network of its own."""
    if os.environ.get("POL_GATEWAY_INSIDE") != "1":
        os.environ["POL_GATEWAY_INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc",
                              sys.executable, *sys.argv])
    for line in ("link set lo up", "link add out type veth peer name far",
                 "addr add 203.0.113.2/24 dev out", "link set out up"):
        call("ip", *line.split())
    holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
    time.sleep(0.2)
    call("ip", "link", "set", "far", "netns", str(holder.pid))
    for line in ("link set lo up", f"addr add {SERVER}/24 dev far", "link set far up"):
        call("nsenter", "-t", str(holder.pid), "-n", "ip", *line.split())
    # not the server's address: pasta takes the gateway's for the host's loopback
    call("ip", "route", "add", "default", "via", "203.0.113.254")
    # where only root may open the device, the rootless peers get a node that they may open
    call("mount", "-t", "tmpfs", "none", "/mnt")
    call("mknod", "-m", "0666", "/mnt/tun", "c", "10", "200")
    call("mount", "--bind", "/mnt/tun", "/dev/net/tun")
    with open("/mnt/hosts", "w", encoding="ascii") as f:
        f.write(f"127.0.0.1 localhost\n{SERVER} bench.example\n")
    call("mount", "--bind", "/mnt/hosts", "/etc/hosts")
    return holder


class Peers:
    def __init__(self, build, work, user):
        self.build, self.work, self.user = build, work, user
        self.client = f"{work}/gate"
        self.tag = os.path.basename(work)
        shutil.copy(f"{build}/tests/bench/gate", self.client)
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin", "HOME": f"{work}/home"}
        for name in ("home", "home/project"):
            os.mkdir(f"{work}/{name}")
            shutil.chown(f"{work}/{name}", user, user)
        with open(f"{work}/p.pol", "w", encoding="ascii") as f:
            f.write("policy bench { level user }\ncommand { otherwise allow }\n"
                    f'file {{ allow read, exec "{work}"  allow read "${{PROJECT_DIR}}" }}\n'
                    f"network limited {{ allow tcp {SERVER} port {PORT}-{PORT + 4} }}\n")
        call(f"{build}/bin/polc", "compile", f"{work}/p.pol", "-o", f"{work}/p.polb",
             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(f"{work}/srt.json", "w", encoding="ascii") as f:
            f.write('{"network": {"allowedDomains": ["bench.example"], "deniedDomains": []}, '
                    '"filesystem": {"denyRead": [], "allowWrite": [], "denyWrite": []}}')
        os.chmod(f"{work}/p.polb", 0o644)
        self.missing = {}
        for name, tool in (("slirp4netns", "slirp4netns"), ("pasta", "pasta"),
                           ("pasta -T", "pasta"), ("sandbox-runtime", SRT)):
            if not shutil.which(tool):
                self.missing[name] = "not installed"
        for tool in ("bwrap", "socat", "rg", "node"):
            if not shutil.which(tool):
                self.missing["sandbox-runtime"] = f"no {tool}"

    def address(self, name):
        return {"slirp4netns": SERVER, "pasta -T": "127.0.0.1",
                "sandbox-runtime": "bench.example"}.get(name, SERVER)

    def wrap(self, name, argv):
        """The command line that runs `argv` inside, and then ends."""
        if name == "direct":
            return argv
        if name == "polrun":
            return [f"{self.build}/bin/polrun", "-y", "-b", f"{self.work}/p.polb", *argv]
        if name == "slirp4netns":
            # the usual way: it is told a process that waits until the device is there
            script = ('unshare -Urn sh -c \'echo $$ >"$1"; read -r go <"$2"; shift 2; exec "$@"\' - '
                      '"$1" "$2" "${@:3}" & while [ ! -s "$1" ]; do :; done; '
                      'slirp4netns --configure --mtu=65520 --disable-host-loopback --ready-fd=3 "$(cat "$1")" '
                      'tap0 3>"$1.ready" >/dev/null 2>&1 & slirp=$!; '
                      'while [ ! -s "$1.ready" ]; do sleep 0.001; done; echo >"$2"; wait %1; s=$?; '
                      'kill $slirp; exit $s')
            base = tempfile.mktemp(dir=f"{self.work}/home")
            os.mkfifo(f"{base}.go")
            shutil.chown(f"{base}.go", self.user, self.user)
            # standard input of a background job is /dev/null: 4 keeps it
            return ["bash", "-c", script.replace('exec "$@"', 'exec "$@" <&4'), "-", base,
                    f"{base}.go", *argv]
        if name.startswith("pasta"):
            forward = f"{PORT}-{PORT + 4}" if name == "pasta -T" else "none"
            return ["pasta", "--quiet", "--config-net", "-t", "none", "-u", "none", "-U", "none",
                    "-T", forward, "--", *argv]
        return ["node", SRT, "--settings", f"{self.work}/srt.json", *argv]

    def start(self, name, argv, **more):
        argv = self.wrap(name, argv)
        if name == "slirp4netns":
            argv = ["bash", "-c", 'exec 4<&0; exec "$@"', "-", *argv]
        return subprocess.Popen(["setpriv", "--reuid", self.user, "--regid", self.user,
                                 "--init-groups", *argv], env=self.env,
                                cwd=f"{self.work}/home/project", start_new_session=True, **more)

    def say(self, name, what, port, *rest, timeout=60):
        """The client's line, or why there is none."""
        argv = [self.client, what, self.address(name), str(port), *map(str, rest)]
        p = self.start(name, argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                       stdin=subprocess.DEVNULL)
        try:
            out, err = p.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, 9)
            p.communicate()
            return "timeout"
        if p.returncode == 0 and out:
            return out.strip().splitlines()[-1]
        return "failed: " + ((err.strip().splitlines() or ["?"])[-1])[:60]


def processes(pattern):
    """(pid, name) of all that the peer consists of, the client aside."""
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as f:
                words = f.read().split(b"\0")
        except OSError:
            continue
        name = os.path.basename(words[0].decode(errors="replace"))
        if re.fullmatch(pattern, name):
            yield int(path.split("/")[2])


def holds(pids):
    """KiB of PSS, and descriptors."""
    kib = fds = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
                kib += int(re.search(r"^Pss:\s+(\d+)", f.read(), re.M)[1])
            fds += len(os.listdir(f"/proc/{pid}/fd"))
        except OSError:
            pass
    return kib, fds


PROGRAMS = {"polrun": "polgate", "slirp4netns": "slirp4netns", "pasta": "pasta.*",
            "pasta -T": "pasta.*", "sandbox-runtime": "node|socat"}


def held(peers, name, count):
    p = peers.start(name, [peers.client, "hold", peers.address(name), str(PORT + 4), str(count)],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    line = p.stdout.readline().decode().strip()
    time.sleep(0.3)
    kib, fds = holds(processes(PROGRAMS[name])) if name in PROGRAMS else (0, 0)
    p.stdin.close()
    try:
        p.wait(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, 9)
    if not line.startswith("held"):
        return "failed"
    n = int(line.split()[1])
    return f"{n:,} in {line.split()[3]} ms" + (f"; {kib / 1024:.1f} MiB, {fds:,} fds" if fds else "")


def spent(peers, name):
    """Milliseconds from the command line to the end of /bin/true."""
    began = time.perf_counter()
    p = peers.start(name, ["/bin/true"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL)
    return (time.perf_counter() - began) * 1e3 if p.wait() == 0 else None


def number(text):
    m = re.match(r"[\d.]+", text)
    return float(m[0]) if m else None


def table(title, rows):
    print(f"\n{title}\n| | " + " | ".join(COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for what, cells in rows:
        print(f"| {what} | " + " | ".join(cells.get(c, "missing") for c in COLUMNS) + " |")


def median(values):
    numbers = [v for v in map(number, values) if v is not None]
    return f"{statistics.median(numbers):,.0f}" if numbers else values[0]


def main():
    build, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if os.getuid() != 0:
        print("gateway: only root can make the network of this bench")
        return
    holder = in_namespaces()
    user = os.environ.get("POL_BENCH_USER", "polbench")
    work = tempfile.mkdtemp(prefix="pol-gateway.", dir="/var/tmp")
    servers = []
    try:
        os.chmod(work, 0o755)
        peers = Peers(build, work, user)
        for at in (["nsenter", "-t", str(holder.pid), "-n"], SERVER), ([], "127.0.0.1"):
            servers.append(subprocess.Popen([*at[0], peers.client, "serve", at[1], str(PORT)],
                                            stdout=subprocess.PIPE, start_new_session=True))
            servers[-1].stdout.readline()
        print(f"kernel {os.uname().release}, {os.cpu_count()} processors, load "
              f"{open('/proc/loadavg', encoding='ascii').read().split()[0]}, {rounds} rounds in turn")
        for name, why in peers.missing.items():
            print(f"missing: {name} ({why})")
        there = [c for c in COLUMNS if c not in peers.missing]
        asked = (("connect and first byte, µs (p95)", "first", PORT, (1000,)),
                 ("down, one stream, MB/s", "down", PORT + 1, (1, 1)),
                 ("down, four streams, MB/s", "down", PORT + 1, (1, 4)),
                 ("up, one stream, MB/s", "up", PORT + 3, (1, 1)),
                 ("up, four streams, MB/s", "up", PORT + 3, (1, 4)))
        got = {(w[0], c): [] for w in asked for c in there}
        begun = {c: [] for c in there}
        for _ in range(rounds):
            for what, verb, port, rest in asked:
                for c in there:
                    got[what, c].append(peers.say(c, verb, port, *rest))
            for c in there * 4:
                begun[c].append(spent(peers, c))
        rows = []
        for what, *_ in asked:
            cells = {}
            for c in there:
                cells[c] = median(got[what, c])
                tails = [float(m[1]) for v in got[what, c] if (m := re.search(r"p95 (\d+)", v))]
                if tails:
                    cells[c] += f" ({statistics.median(tails):,.0f})"
            rows.append((what, cells))
        rows.append(("start of /bin/true, ms (median)",
                     {c: f"{statistics.median(v):.1f}" if (v := [x for x in begun[c] if x]) else "failed"
                      for c in there}))
        rows.append(("5,000 connections, in at most 40 s", {c: held(peers, c, 5000) for c in there}))
        table("The gateway beside its peers", rows)
    finally:
        for server in servers:
            os.killpg(server.pid, 9)
        holder.kill()
        shutil.rmtree(work, ignore_errors=True)


main()
