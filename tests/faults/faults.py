#!/usr/bin/env python3
"""Makes every system call of a run's set-up fail, one in each run.

A run that is recorded says which calls there are (runtime/base/fault.h); then
each is made to fail with the errnos of calls.txt, and the run must be what the
first row of sites.txt says that fits the functions on the call's way.

After each run nothing may be left: files (contents, modes, owners), mounts,
processes, control groups.  EINTR is always "same".

    faults.py BASE WORK all|each|first [FUNCTION|CALL]
      BASE   holds bin/{polc,polrun,polinit} and `ours`, the names of our functions
      all    every call, every errno         first  each way to a call, first errno
      each   every call, its first errno
"""
import bisect, collections, ctypes, errno, hashlib, itertools, json, os, re, resource
import select, signal, stat, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
PR_SET_CHILD_SUBREAPER = 36
ROOT = os.geteuid() == 0

POLICY = '''policy faults { base none }
command { otherwise allow }
file {
    allow read, exec "/usr", "/bin", "/lib", "/lib64", "/sbin"
    allow read "/etc"
    allow read, write "${PROJECT_DIR}"
    deny write "${PROJECT_DIR}/a/b/c"
    hide "${PROJECT_DIR}/hid", "${PROJECT_DIR}/hidfile", "${HOME}/.secret"
    scratch "${TMPDIR}", "${HOME}", "/dev/shm"
}
network disabled
syscall { deny sethostname with EACCES }
limits { disk 8M  files 200  time 60s }
env { keep PATH, HOME }
'''
# What the walls let through is what it prints.
COMMAND = '''cat near hid/s hidfile; echo x >fresh; echo x >a/b/c/x; mv a moved
ls "$HOME/.secret" a/b /dev /; cat /proc/sys/net/ipv4/tcp_fastopen
grep -E '^(Cap|NoNewPrivs|Seccomp:|Sig(Ign|Blk))' /proc/self/status; pwd; id -u
hostname x; rm -f fresh; exit 7'''


class World:
    """The directory that the runs take place in."""

    def __init__(self, bindir, work):
        self.bin, self.work, self.taken = bindir, work, None
        self.home = os.path.join(work, 'home')
        self.project = os.path.join(self.home, 'project')
        self.report = os.path.join(work, 'report.json')
        self.bundle = os.path.join(work, 'p.polb')
        for d in ('a/b/c', 'hid', '.git/hooks', 'to'):
            os.makedirs(os.path.join(self.project, d))
        os.makedirs(os.path.join(self.home, '.secret'))
        for name, text in (('hid/s', 'secret\n'), ('hidfile', 'secret\n'), ('near', 'near\n'),
                           ('.git/HEAD', 'ref: refs/heads/main\n'),
                           ('.git/config', '[core]\n\tbare = false\n')):
            with open(os.path.join(self.project, name), 'w') as f:
                f.write(text)
        os.symlink('near', os.path.join(self.project, 'link'))
        self.compile('p', POLICY)

    def compile(self, name, text):
        with open(os.path.join(self.work, name + '.pol'), 'w') as f:
            f.write(text)
        subprocess.run([os.path.join(self.bin, 'polc'), 'compile', name + '.pol', '-o',
                        name + '.polb'], cwd=self.work, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        path = os.path.join(self.work, name + '.polb')
        os.chmod(path, 0o600)
        return path

    def tidy(self):
        """What the command had made when it was killed is no leftover of polrun."""
        try:
            os.unlink(os.path.join(self.project, 'fresh'))
        except FileNotFoundError:
            pass

    def files(self):
        found = {}
        for top, dirs, names in os.walk(self.work):
            for n in dirs + names + ['.']:
                p = os.path.join(top, n)
                st = os.lstat(p)
                if p in (self.report, self.taken):
                    continue
                held = None
                if stat.S_ISREG(st.st_mode):
                    with open(p, 'rb') as f:
                        held = hashlib.sha1(f.read()).hexdigest()
                elif stat.S_ISLNK(st.st_mode):
                    held = os.readlink(p)
                found[p] = (st.st_mode, st.st_uid, st.st_gid, st.st_nlink, held)
        return found

    def host(self):
        with open('/proc/self/mountinfo') as f:
            mounts = f.read()
        try:
            groups = sorted(os.listdir('/sys/fs/cgroup'))
        except OSError:
            groups = []
        return {'files': self.files(), 'mounts': mounts, 'cgroups': groups}


Result = collections.namedtuple('Result', 'status out err notes report left')
NOTE = re.compile(r'@([FIS]) (\S+) (\S+) (\d+)(?: (?![0-9a-f]+\b)(\S+))?((?: [0-9a-f]+)*)\n')


def children(pid):
    try:
        with open(f'/proc/{pid}/task/{pid}/children') as f:
            return [int(c) for c in f.read().split()]
    except OSError:
        return []


def below(pid):
    found = []
    for c in children(pid):
        found += [c] + below(c)
    return found


def reap_all(patience):
    """Orphans of the run: the subreaper's children.  Those that outlive it."""
    end = time.monotonic() + patience
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return []
        if time.monotonic() > end:
            names = []
            for c in below(os.getpid()):
                try:
                    with open(f'/proc/{c}/cmdline') as f:
                        names.append(f'{c} ({f.read()[:60]})')
                    os.kill(c, signal.SIGKILL)
                except OSError:
                    pass
            while names:
                try:
                    os.waitpid(-1, 0)
                except ChildProcessError:
                    break
            return names
        time.sleep(0.002)


def run(w, fault=None, log=False, kill=None, options=(), bundle=None, closed=(),
        stdin=None, stdout=None, report=True, before=(), fsize=None, patience=5):
    """One run of polrun.  `kill` is the role that waits to be killed, `before` stands
    in front of polrun, `stdin` and `stdout` are files instead of nothing and a pipe."""
    env = {'PATH': '/usr/sbin:/usr/bin:/sbin:/bin', 'HOME': w.home, 'LANG': 'C.UTF-8'}
    if fault:
        env['POL_FAULT'] = fault
    if log:
        env['POL_FAULT_LOG'] = '1'
    try:
        os.unlink(w.report)
    except FileNotFoundError:
        pass
    args = [*before, os.path.join(w.bin, 'polrun'), '-b', bundle or w.bundle, *options]
    if report:
        args += ['--report', report if isinstance(report, str) else w.report]
    args += ['/bin/sh', '-c', COMMAND]

    def prepare():
        for fd in closed:
            os.close(fd)
        if fsize is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (fsize, fsize))
    given = open(stdin) if stdin else None
    taken = open(stdout, 'w+') if stdout else None
    p = subprocess.Popen(args, cwd=w.project, env=env, stdin=given or subprocess.DEVNULL,
                         stdout=taken or subprocess.PIPE, stderr=subprocess.PIPE,
                         preexec_fn=prepare if closed or fsize is not None else None)
    got = {f: b'' for f in (p.stdout, p.stderr) if f}
    open_, left, end, killed = set(got), [], time.monotonic() + 20, 0
    while open_:
        ready, _, _ = select.select(list(open_), [], [], 0.5)
        for f in ready:
            data = os.read(f.fileno(), 1 << 16)
            got[f] += data
            if not data:
                open_.discard(f)
        # what looks for the reason of a failure has processes of its own
        if kill and killed < got[p.stderr].count(b'@S '):
            who = {'polrun': lambda: [p.pid], 'child': lambda: children(p.pid)[-1:],
                   'owner': lambda: children(p.pid)[-1:],
                   'copier': lambda: children(p.pid)[-1:],
                   'polinit': lambda: [c for c in children(p.pid) if is_init(c)],
                   'command': lambda: [d for c in children(p.pid) if is_init(c)
                                       for d in children(c)]}[kill]()
            for pid in who:
                os.kill(pid, signal.SIGKILL)
            killed += bool(who)
        if time.monotonic() > end:
            left.append('hangs: ' + ' '.join(map(str, [p.pid] + below(p.pid))))
            for pid in [p.pid] + below(p.pid):
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            break
    status = p.wait()
    out = got.get(p.stdout, b'').decode(errors='replace')
    for f in got:
        f.close()
    left += reap_all(patience)
    if taken:
        taken.seek(0)
        out = taken.read()
        taken.close()
    if given:
        given.close()
    err = got[p.stderr].decode(errors='replace')
    notes = NOTE.findall(err)
    try:
        with open(w.report) as f:
            report_text = f.read()
        os.unlink(w.report)
    except FileNotFoundError:
        report_text = None
    return Result(status, out, NOTE.sub('', err), notes, report_text, left)


def is_init(pid):
    try:
        with open(f'/proc/{pid}/status') as f:
            return re.search(r'^NSpid:\t\d+\t1$', f.read(), re.M) is not None
    except OSError:
        return False


# --- where a call stands -------------------------------------------------------


class Symbols:
    def __init__(self, program, ours):
        self.at, self.names = [], []
        base, ours = 0, set(ours)
        lines = subprocess.run(['nm', '-n', program], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.splitlines()
        for line in lines:
            f = line.split()
            if len(f) == 3 and f[2] == '__executable_start':
                base = int(f[0], 16)
        for line in lines:
            f = line.split()
            if len(f) == 3 and f[1] in 'tTwWi':
                self.at.append(int(f[0], 16) - base)
                self.names.append(f[2] if f[2] in ours or f[2] == 'main' else None)

    def way(self, addresses):
        """The functions of ours on the way to a call, innermost first."""
        way = [self.names[bisect.bisect_right(self.at, int(a, 16) - 1) - 1]
               for a in addresses.split()]
        return tuple(n for n in way if n and not n.startswith('sys_') and n != 'main')


Site = collections.namedtuple('Site', 'role call n way')


def record(w, symbols, **how):
    r = run(w, log=True, **how)
    sites = []
    for kind, role, call, n, _, addresses in r.notes:
        way = symbols['polinit' if role in ('polinit', 'command') else 'polrun'].way(addresses)
        if kind == 'F' and way and not way[0].startswith('fault_'):
            sites.append(Site(role, call, int(n), way))
    return sites, r


# --- what is expected ------------------------------------------------------------


def read_table(name):
    rows = []
    with open(os.path.join(HERE, name)) as f:
        for line in f:
            line = line.split('#')[0].split()
            if line:
                rows.append(line)
    return rows


class Expect:
    def __init__(self):
        self.errnos = {r[0]: r[1:] for r in read_table('calls.txt')}
        self.rows = read_table('sites.txt')
        self.used = set()

    def of(self, site, err):
        if err == 'EINTR':
            return 'same'
        for i, (function, calls, errs, outcome) in enumerate(self.rows):
            if function not in ('*', '=' + site.way[0]) and function not in site.way and \
                    function not in [f'{site.role}/{f}' for f in site.way]:
                continue
            if calls != '*' and site.call not in calls.split(','):
                continue
            if errs != '*' and err not in errs.split(','):
                continue
            self.used.add(i)
            return outcome
        return 'refuse'


def tidy_report(text):
    """Without what differs from run to run."""
    if not text:
        return text
    r = json.loads(text)
    for k in ('wall_ms', 'cpu_ms', 'memory_peak_bytes', 'started', 'ended', 'start', 'end'):
        r.pop(k, None)
    return r


def judge(outcome, err, r, base):
    """None, or what is wrong."""
    if r.left:
        return 'left behind: ' + ', '.join(r.left)
    if not any(n[0] in 'I' for n in r.notes):
        return 'the call was not made'
    # what the command writes may begin a line that polrun ends
    known = re.findall(r'polrun: .*', base.err)
    lines = [l for l in re.findall(r'polrun: .*', r.err) if l not in known]
    what = os.strerror(getattr(errno, err))
    named = len(lines) == 1 and (what in lines[0] or err in lines[0] or
                                 err == 'ENOMEM' and 'memory' in lines[0])
    if outcome in ('refuse', 'said', 'ended', 'unbegun'):
        want = (126, 127) if outcome == 'unbegun' else (125,)
        if r.status not in want:
            return f'exit status {r.status}, want {want}'
        if r.out and outcome != 'ended':
            return 'the command was begun'
        if len(lines) != 1:
            return f'{len(lines)} lines of polrun, want one'
        if outcome in ('refuse', 'ended') and not named:
            return f'the message does not say "{what}"'
        if outcome == 'refuse' and 'memory' not in lines[0] and not re.match(r'polrun: .*[a-z/]{3}.*: ', lines[0]):
            return 'the message names no step'
        return None
    if outcome in ('absent', 'closed'):
        if r.status not in (125, 126, 127, base.status):
            return f'exit status {r.status}'
        return 'what is hidden is shown' if outcome == 'closed' and 'secret' in r.out else None
    if outcome == 'unreported':
        if r.status != base.status or r.out != base.out:
            return f'exit status {r.status}, or another output'
        if not named:
            return f'no line says "{what}"'
        return 'a report is left' if r.report else None
    if r.status != base.status:
        return f'exit status {r.status}, want {base.status}'
    if r.out != base.out:
        return 'the command sees something else'
    if not r.report:
        return 'no report'
    a, b = tidy_report(r.report), tidy_report(base.report)
    if outcome == 'unnamed':
        a['denials'] = b['denials']
    elif outcome != 'same':
        lost = [m for m in a['mechanisms'] if m not in b['mechanisms']]
        if not any(re.search(outcome.replace('_', ' '), m) for m in lost):
            return f'mechanisms[] has no line that matches "{outcome}": {lost}'
        a['mechanisms'], a['denials'] = b['mechanisms'], b['denials']
    if a != b:
        return 'the report differs: ' + str({k: a[k] for k in a if a[k] != b.get(k)})
    return None


class Sum:
    def __init__(self):
        self.passed = self.failed = self.runs = 0

    def check(self, name, wrong, r=None):
        if wrong is None:
            self.passed += 1
            return
        self.failed += 1
        print(f'FAIL {name}: {wrong}')
        if r:
            print(f'     status {r.status}; stderr: {r.err[-400:].strip()}')
        sys.stdout.flush()


def choose(sites, how):
    if how != 'first':
        return sites
    seen, chosen = set(), []
    for s in sites:
        if (s.role, s.call, s.way) not in seen:
            seen.add((s.role, s.call, s.way))
            chosen.append(s)
    return chosen


# --- the tests -------------------------------------------------------------------


class Tests:
    def __init__(self, base_dir, work, how, only):
        self.w, self.total, self.expect = World(os.path.join(base_dir, 'bin'), work), Sum(), Expect()
        self.how, self.only, self.runs = how, only, 0
        with open(os.path.join(base_dir, 'ours')) as f:
            ours = f.read().split()
        self.symbols = {p: Symbols(os.path.join(self.w.bin, p), ours)
                        for p in ('polrun', 'polinit')}
        self.before = self.w.host()

    def check(self, name, wrong, r):
        """A run is over: nothing may be left, whatever else it was."""
        self.runs += 1
        if wrong is None and r.left:
            wrong = 'left behind: ' + ', '.join(r.left)
        self.w.tidy()
        now = self.w.host()
        if now != self.before:
            wrong = wrong or 'changed: ' + ', '.join(k for k in now if now[k] != self.before[k])
            self.before = now
        self.total.check(name, wrong, r)

    def same(self, r, base):
        if r.status != base.status:
            return f'exit status {r.status}, want {base.status}'
        if r.out != base.out:
            return 'the command sees something else'
        if tidy_report(r.report) != tidy_report(base.report):
            return 'another report'
        return None

    def calls(self, name, within=None, **scenario):
        """Every call of a run (or those on the way through one of `within`) fails."""
        base = run(self.w, **scenario)
        if base.status != 7 or base.left or 'secret' in base.out:
            self.check(f'{name}: the undisturbed run', f'is disturbed: {base}', base)
            return []
        sites, recorded = record(self.w, self.symbols, **scenario)
        self.check(f'{name}: recorded', self.same(recorded, base), recorded)
        if within:
            sites = [s for s in sites if within & set(s.way)]
        chosen = choose(sites, self.how)
        for s in chosen:
            errs = self.expect.errnos[s.call]
            if self.only and self.only not in s.way and self.only != s.call:
                continue
            if self.how != 'all':
                errs = errs[:1] + (['EINTR'] if 'EINTR' in errs[1:] else [])
            for e in errs:
                self.fail_once(name, s, e, base, scenario)
        print(f'{name}: {len(sites)} calls, {len(set((s.role, s.call, s.way) for s in sites))} '
              f'ways to one, {len(chosen)} chosen')
        return sites

    def fail_once(self, name, s, e, base, scenario):
        # how often polrun waits while the command runs differs
        for _ in range(5 if 'run_loop' in s.way else 1):
            r = run(self.w, f'{s.role}:{s.call}:{s.n}:{e}', **scenario)
            if any(n[0] == 'I' for n in r.notes):
                break
        else:
            if 'run_loop' in s.way:
                return
        self.check(f'{name}: {s.role} {s.call} {s.n} {e} ({" < ".join(s.way[:4])})',
                   judge(self.expect.of(s, e), e, r, base), r)

    def kills(self, sites):
        """Each process of the run is killed before each of its calls."""
        base = run(self.w)
        for s in choose(sites, 'first'):
            if s.call in ('malloc', 'calloc', 'realloc', 'reallocarray', 'strdup', 'strndup'):
                continue
            r = run(self.w, f'{s.role}:{s.call}:{s.n}:stop', kill=s.role)
            allowed = {'polrun': (-9,), 'command': (125, 137),
                       'owner': (base.status, 125), 'copier': (base.status,)}.get(s.role, (125, base.status))
            wrong = None
            if not any(n[0] == 'S' for n in r.notes):
                if 'run_loop' in s.way:
                    continue
                wrong = 'the call was not made'
            elif r.status not in allowed:
                wrong = f'exit status {r.status}, want one of {allowed}'
            elif 'secret' in r.out:
                wrong = 'what is hidden is shown'
            self.check(f'kill -9 of {s.role} before {s.call} {s.n} ({" < ".join(s.way[:3])})',
                       wrong, r)

    def moves(self):
        """Reads and writes of files that move one byte."""
        base = run(self.w)
        for role, call in (('polrun', 'pread'), ('polrun', 'read'), ('polrun', 'write'),
                           ('polinit', 'write')):
            r = run(self.w, f'{role}:{call}:*:short')
            self.check(f'{role}: every {call} of a file moves one byte', self.same(r, base), r)

    def descriptors(self):
        base = run(self.w)
        for closed in itertools.chain.from_iterable(
                itertools.combinations((0, 1, 2), k) for k in (1, 2, 3)):
            r = run(self.w, closed=closed)
            wrong = None
            if r.status != base.status:
                wrong = f'exit status {r.status}, want {base.status}'
            elif r.out != ('' if 1 in closed else base.out):
                wrong = 'the command sees something else'
            elif tidy_report(r.report) != tidy_report(base.report):
                wrong = 'another report'
            self.check('closed: ' + ' '.join(map(str, closed)), wrong, r)

    def full(self):
        """A report that finds no room: the status stays, a line says so."""
        base = run(self.w)
        wrong = None
        r = run(self.w, fsize=len(base.report) * 3 // 4)
        if r.status != base.status or 'File too large' not in r.err:
            wrong = f'status {r.status}, or no line says so'
        elif r.report:
            wrong = 'half a report is left'
        self.check('a report past the limit of file sizes', wrong, r)
        if not ROOT:
            return
        disk = os.path.join(self.w.work, 'disk')
        os.mkdir(disk)
        report = os.path.join(disk, 'r.json')
        script = ('mount -t tmpfs -o size=4k none "$0" && { dd if=/dev/zero of="$0/fill" bs=4k '
                  'count=2 2>/dev/null; "$@"; s=$?; stat -c "size %s" "$0/r.json" >&2; exit $s; }')
        r = run(self.w, report=report,
                before=('unshare', '-m', '--propagation', 'private', 'sh', '-c', script, disk))
        os.rmdir(disk)
        wrong = None
        if r.status != base.status or 'No space left on device' not in r.err:
            wrong = f'status {r.status}, or no line says so'
        elif 'size 0' not in r.err:
            wrong = 'half a report is left'
        self.check('a report on a full disk', wrong, r)


def main():
    base_dir, work, how = sys.argv[1:4]
    only = sys.argv[4] if len(sys.argv) > 4 else ''
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    os.umask(0o022)
    t = Tests(base_dir, work, how, only)
    sites = t.calls('run')
    limited = t.w.compile('limited', POLICY.replace('network disabled', 'network limited\nnetwork {\n'
                          '    allow tcp 127.0.0.0/8 port 8000-8010\n    deny tcp 127.0.0.0/8 port 8005\n}'))
    given = os.path.join(work, 'given')
    with open(given, 'w') as f:
        f.write('given\n')
    with open(os.path.join(work, 'taken'), 'w') as f:
        pass
    # what the command prints there is no leftover
    t.w.taken = os.path.join(work, 'taken')
    t.before = t.w.host()
    t.calls('files as streams', {'streams_clean', 'streams_bridge', 'streams_finish', 'copy'},
            stdin=given, stdout=t.w.taken)
    t.calls('limited network', {'step_nft', 'nft_load'}, bundle=limited)
    t.calls('traced', {'trace_init', 'trace_look', 'trace_release', 'look'},
            options=('--explain-denials',))
    if not only:
        t.kills(sites)
        t.moves()
        t.descriptors()
        t.full()
    print(f'{t.runs} runs')
    print(f'{t.total.passed} passed, {t.total.failed} failed, 0 skipped')
    sys.exit(t.total.failed != 0)


if __name__ == '__main__':
    main()
