#!/usr/bin/env python3
"""Makes every system call of a run's set-up fail, one in each run.

A run that is recorded says which calls there are (runtime/base/fault.h); then
each is made to fail with the errnos of calls.txt, and the run must be what the
first row of sites.txt says that fits the functions on the call's way.

After each run nothing may be left: files (contents, modes, owners), mounts,
processes, namespaces, control groups.  EINTR is always "same".

    faults.py BASE WORK all|each|first [FUNCTION|CALL|ROLE [JOBS]]
      BASE   holds bin/{polc,polrun,polinit} and `ours`, the names of our functions
      all    every call, every errno         first  each way to a call, first errno
      each   every call, one of its errnos: that of the day POL_SLICE (0 to 6); of the
             ways on which all calls fail or a process is killed, a seventh.  With
             POL_HALF=0 or 1 half of these calls: the other user has the other half
      JOBS   runs at a time; as many as there are processors

The runs are shared out to processes with a directory each; each adopts what its
runs leave behind.
"""
import bisect, collections, ctypes, errno, hashlib, itertools, json, os, re, resource
import select, signal, stat, struct, subprocess, sys, time, traceback, zlib

HERE = os.path.dirname(os.path.abspath(__file__))
PR_SET_CHILD_SUBREAPER = 36
ROOT = os.geteuid() == 0
SECRET = 'not-to-be-seen'  # what hidden files hold

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
CONFIG = '[core]\n\tbare = false\n'
CHANGED = '[user]\n\tname = x\n'  # which a run may add: doc/enforcement.md
# What the walls let through is what it prints.
COMMAND = '''cat near hid/s hidfile to/s; echo x >fresh; echo x >a/b/c/x; mv a moved
ls "$HOME/.secret" a/b /dev /; ./prog; cat /proc/sys/net/ipv4/tcp_fastopen
grep -E '^(Cap|NoNewPrivs|Seccomp:|Sig(Ign|Blk))' /proc/self/status; pwd; id -u
hostname x; rm -f fresh; ./large
for text in '[user]\n\tname = x\n' ''; do printf "[core]\\n\\tbare = false\\n$text" >fresh; mv -f fresh .git/config; done
rm -f fresh; mkfifo fresh; echo fifo 1<>fresh; rm -f fresh; exit 7'''


LIMITED = POLICY.replace('network disabled', '''network limited
network {
    allow tcp 127.0.0.0/8 port 8000-8010
    deny tcp 127.0.0.0/8 port 8005
}''')
ANYWHERE = POLICY.replace('allow read "/etc"', 'allow read "/"')
BY_NAME = POLICY.replace('    scratch', '''    allow exec "${PROJECT_DIR}"
    hide "${PROJECT_DIR}/**/*.hid"
    scratch''', 1)
MOUNTED = POLICY.replace('allow read "/etc"', '''allow read "/etc"
    mount "${PROJECT_DIR}/to" at "/there" read, write
    mount "${PROJECT_DIR}/near" at "/one" read''')


class World:
    """The directory that the runs take place in."""

    def __init__(self, bindir, work):
        os.mkdir(work)
        self.bin, self.work = bindir, work
        self.home = os.path.join(work, 'home')
        self.project = os.path.join(self.home, 'project')
        # a run with --user opens its report as that user
        self.report = os.path.join(work, 'reports', 'report.json')
        os.mkdir(os.path.dirname(self.report))
        os.chmod(os.path.dirname(self.report), 0o777)
        self.temporary = os.path.join(self.project, '.git/config.polrun')
        self.given, self.taken = os.path.join(work, 'given'), os.path.join(work, 'taken')
        for d in ('a/b/c', 'hid', '.git/hooks', 'to'):
            os.makedirs(os.path.join(self.project, d))
        os.makedirs(os.path.join(self.home, '.secret'))
        os.makedirs(os.path.join(self.home, '.local/state/pol'), 0o700)
        for name, text in (('hid/s', SECRET + '\n'), ('hidfile', SECRET + '\n'), ('near', 'near\n'), ('lent', 'lent\n'),
                           ('.git/HEAD', 'ref: refs/heads/main\n'),
                           ('.git/config', CONFIG),
                           (self.given, 'given\n'), (self.taken, '')):
            with open(os.path.join(self.project, name), 'w') as f:
                f.write(text)
        # a program of more than COPIES_AT_ONCE (runtime/supervise/copies.h) is copied apart
        for name, size in (('prog', 0), ('large', 3 << 19)):
            prog = os.path.join(self.project, name)
            with open(prog, 'w') as f:
                f.write(f'#!/bin/sh\necho started {name}\nexit\n')
                f.write('\n' * size)
            os.chmod(prog, 0o755)
        os.symlink('near', os.path.join(self.project, 'link'))
        # what a link in a denied directory leads to
        os.symlink('../../../lent', os.path.join(self.project, 'a/b/c/lead'))
        self.bundle = self.compile('p', POLICY)
        self.limited = self.compile('limited', LIMITED)
        self.anywhere = self.compile('anywhere', ANYWHERE)
        self.by_name = self.compile('by-name', BY_NAME)
        self.mounted = self.compile('mounted', MOUNTED)
        self.sign()
        self.before = self.host()

    def polc(self, *args):
        subprocess.run([os.path.join(self.bin, 'polc'), *args], cwd=self.work, check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def compile(self, name, text):
        with open(os.path.join(self.work, name + '.pol'), 'w') as f:
            f.write(text)
        self.polc('compile', name + '.pol', '-o', name + '.polb')
        path = os.path.join(self.work, name + '.polb')
        os.chmod(path, 0o600)
        return path

    def sign(self):
        key = os.path.join(self.work, 'key')
        subprocess.run(['ssh-keygen', '-q', '-N', '', '-C', 'who', '-t', 'ed25519', '-f', key],
                       check=True, stdin=subprocess.DEVNULL)
        self.signed, self.signers = (os.path.join(self.work, n) for n in ('s.polb', 'list'))
        with open(key + '.pub') as f, open(self.signers, 'w') as g:
            g.write('# who may sign\nwho namespaces="polc-bundle" ' + f.read())
        self.polc('sign', '--key', key, '-o', self.signed, self.bundle)
        os.chmod(self.signed, 0o600)

    def tidy(self):
        """What the command had made when it was killed, or could not change back, is no leftover of polrun."""
        try:
            os.unlink(os.path.join(self.project, 'fresh'))
        except FileNotFoundError:
            pass
        config = os.path.join(self.project, '.git/config')
        with open(config) as f:
            now = f.read()
        if now == CONFIG + CHANGED:
            with open(config, 'w') as f:
                f.write(CONFIG)

    def files(self):
        found = {}
        for top, dirs, names in os.walk(self.work):
            for n in dirs + names + ['.']:
                p = os.path.join(top, n)
                st = os.lstat(p)
                # what the command prints there is no leftover, nor is polrun's record
                if p in (self.report, self.taken) or '/.local/state/pol/' in p or '/.cache/pol' in p:
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
        # a namespace that is bound to a name is a mount of its own
        with open('/proc/self/mountinfo') as f:
            mounts = f.read()
        try:
            groups = sorted(os.listdir('/sys/fs/cgroup'))
        except OSError:
            groups = []
        return {'files': self.files(), 'mounts': mounts, 'cgroups': groups,
                'namespaces': namespaces([os.getpid()] + below(os.getpid()))}


def namespaces(pids):
    """The namespaces that processes are in, will put children in, or hold open."""
    found = set()
    for pid in pids:
        for kind in ('ns', 'fd'):
            try:
                names = os.listdir(f'/proc/{pid}/{kind}')
            except OSError:
                continue
            for n in names:
                try:
                    to = os.readlink(f'/proc/{pid}/{kind}/{n}')
                except OSError:
                    continue
                if re.fullmatch(r'[a-z]+:\[\d{8,}\]', to) and not to.startswith(('pipe', 'socket')):
                    found.add(to)
    return found


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
    # a record that an earlier run could not give back would be one more to read
    state = os.path.join(w.home, '.local/state/pol')
    for n in os.listdir(state):
        if n.startswith('left-'):
            os.unlink(os.path.join(state, n))
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
    # a call that cannot have the lock of names waits for five seconds
    open_, left, end, killed = set(got), [], time.monotonic() + 90, 0
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
                   'copier': lambda: [c for c in children(p.pid)
                                      if not is_init(c) and not is_zombie(c)][:1],
                   'loader': lambda: [d for c in children(p.pid) if is_init(c)
                                      for d in children(c)],
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


def is_zombie(pid):
    try:
        with open(f'/proc/{pid}/stat') as f:
            return f.read().rpartition(') ')[2].startswith('Z')
    except OSError:
        return True


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


# shifts: the process made this call in its loop before, so that the number differs from run to run
Site = collections.namedtuple('Site', 'role call n way shifts', defaults=(False,))


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


def judge(outcome, err, site, r, base):
    """None, or what is wrong."""
    if r.left:
        return 'left behind: ' + ', '.join(r.left)
    if not is_made(r, site, err):
        return 'the call was not made'
    # what the command writes may begin a line that polrun ends
    known = re.findall(r'polrun: .*', base.err)
    lines = [l for l in re.findall(r'polrun: .*', r.err) if l not in known]
    what = os.strerror(getattr(errno, err))
    named = len(lines) == 1 and (what in lines[0] or err in lines[0] or
                                 err == 'ENOMEM' and 'memory' in lines[0])
    if outcome == 'gone':
        if r.status != 123:
            return f'exit status {r.status}, want 123'
        return None if len(lines) == 1 and 'run ended' in lines[0] else 'not one line says that it was ended'
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
        # a name that is kept absent, and then is seen there, ends the run
        if r.status == 123 and any('run ended' in l for l in lines):
            return None
        if r.status not in (125, 126, 127, base.status):
            return f'exit status {r.status}'
        if outcome == 'closed' and SECRET in r.out:
            return 'what is hidden is shown'
        if r.status == base.status and walls(r.out) != walls(base.out):
            return 'the command has other walls'
        return None
    if outcome == 'answered':
        if r.status != base.status:
            return f'exit status {r.status}, want {base.status}'
        if SECRET in r.out or walls(r.out) != walls(base.out):
            return 'what is hidden is shown, or the command has other walls'
        return None if r.report else 'no report'
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
    if outcome == 'warned' and not named:
        return f'no line says "{what}"'
    if outcome == 'unnamed':
        a['denials'] = b['denials']
    elif outcome == 'unlisted':
        a['written'] = b['written']
        a['mechanisms'] = [m for m in a['mechanisms'] if m in b['mechanisms'] or not m.startswith('written:')]
    elif outcome not in ('same', 'warned'):
        lost = [m for m in a['mechanisms'] if m not in b['mechanisms']]
        if not any(re.search(outcome.replace('_', ' '), m) for m in lost):
            return f'mechanisms[] has no line that matches "{outcome}": {lost}'
        a['mechanisms'], a['denials'] = b['mechanisms'], b['denials']
        if outcome == 'without_a_listener':  # nobody decides names
            a['written'], a['read_only'] = b['written'], b['read_only']
        new = [i['path'] for i in a['left'] if i not in b['left']]
        if outcome == 'has_appeared':
            if len(new) != 1 or not any(new[0] in l for l in lines):
                return f'left[] has not just the name that a line has: {new}'
            a['left'] = b['left']
    if a != b:
        return 'the report differs: ' + str({k: a[k] for k in a if a[k] != b.get(k)})
    return None


# what is done by a run, or by several
Task = collections.namedtuple('Task', 'kind scenario args')
MEMORY = ('malloc', 'calloc', 'realloc', 'reallocarray', 'strdup', 'strndup')


class Scenario:
    """A kind of run.  `within`: of its calls those that come through one of these
    functions, and those that no scenario before it makes on the same way; None: all.
    `first`: of the calls on one way only the first."""

    def __init__(self, name, within, how, fault=None, only_root=False, first=False):
        self.name, self.within, self.how = name, within, how
        self.fault, self.only_root, self.first = fault, only_root, first


SCENARIOS = (
    Scenario('run', None, lambda w: {}),
    Scenario('files as streams', {'streams_clean', 'streams_bridge', 'streams_finish', 'copy'},
             lambda w: {'stdin': w.given, 'stdout': w.taken}),
    Scenario('limited network', {'step_nft', 'nft_load'}, lambda w: {'bundle': w.limited}),
    # the kernel refuses the messages: the run is begun again with polnft
    Scenario('polnft', {'by_polnft', 'network_by_polnft'}, lambda w: {'bundle': w.limited},
             fault='polinit:sendmsg:1/1:EPERM'),
    Scenario('traced', {'trace_init', 'trace_look', 'trace_release', 'look'},
             lambda w: {'options': ('--explain-denials',)}),
    Scenario('signed', set(), lambda w: {
        'bundle': w.signed, 'options': ('--require-signed', '--allowed-signers', w.signers)}),
    Scenario('reading anywhere', set(), lambda w: {'bundle': w.anywhere}),
    Scenario('hidden under two names', {'view_binds'}, lambda w: {
        'bundle': w.anywhere, 'before': (
            'unshare', '-m', '--propagation', 'private', 'sh', '-c',
            'mount --bind "$0/hid" "$0/to" && exec "$@"', w.project)}, only_root=True),
    Scenario('mounts elsewhere', set(), lambda w: {'bundle': w.mounted}),
    Scenario('started by name', {'plan_programs', 'step_copies', 'add_copies', 'add_seen', 'copies_init',
                                 'copies_release', 'broker_exec', 'open_to_read'},
             lambda w: {'bundle': w.by_name}, first=True),
    Scenario('another user', set(), lambda w: {'options': ('--user', 'nobody')}, only_root=True),
)


class Sum:
    def __init__(self):
        self.passed = self.failed = self.runs = 0

    def check(self, name, wrong, r=None):
        if wrong is None:
            self.passed += 1
            return
        self.failed += 1
        text = f'FAIL {name}: {wrong}\n'
        if r:
            text += f'     status {r.status}; stderr: {r.err[-400:].strip()}\n'
        # other workers write, too
        os.write(1, text.encode(errors='replace'))


def ways(sites):
    return {(s.role, s.call, s.way) for s in sites}


def of_the_day(errs, n):
    """One of them; of more than seven as many as seven times need for all.  Calls of one kind
    have different ones on one day, by their number."""
    day = int(os.environ['POL_SLICE']) + n
    return [e for i, e in enumerate(errs) if (i - day) % min(len(errs), 7) == 0]


def in_half(role, call, n):
    """Is this call among those that POL_HALF leaves to this user today?"""
    half = os.environ.get('POL_HALF')
    return not half or zlib.crc32(f"{os.environ['POL_SLICE']} {role} {call} {n}".encode()) % 2 == int(half)


def choose(sites, how):
    if how != 'first':
        return sites
    seen, chosen = set(), []
    for s in sites:
        if (s.role, s.call, s.way) not in seen:
            seen.add((s.role, s.call, s.way))
            chosen.append(s)
    return chosen


def differs(r, base):
    if r.status != base.status:
        return f'exit status {r.status}, want {base.status}'
    if r.out != base.out:
        return 'the command sees something else'
    if tidy_report(r.report) != tidy_report(base.report):
        return 'another report'
    return None


def made(r, s, what=None):
    """The note of the call that was stopped, or made to fail."""
    return next((n for n in r.notes if n[0] in 'IS' and n[1:4] == (s.role, s.call, str(s.n)) and
                 what in (None, n[4])), None)


def is_made(r, s, what=None):
    return made(r, s, what) is not None


def varies(s):
    """How often polrun waits differs from run to run, so does whether it waits so long that it
    drops its pages, and whether a polinit that fails ended before all of the plan was sent."""
    return s.shifts or 'run_loop' in s.way or 'drop_pages' in s.way or (s.call in ('shutdown', 'pidfd_send_signal') and 'send_plan' in s.way)


# --- the tests -------------------------------------------------------------------


class Runner:
    """One process' runs, in a directory of its own."""

    def __init__(self, bindir, work, symbols):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.symbols = symbols
        self.w, self.total, self.expect, self.bases = World(bindir, work), Sum(), Expect(), {}

    def run(self, c, fault=None, **how):
        fault = ','.join(f for f in (c.fault, fault) if f) or None
        return run(self.w, fault, **c.how(self.w), **how)

    def base(self, c):
        """What the scenario's run is when nothing else fails."""
        if c not in self.bases:
            # the run before may have been ended in the middle
            self.w.tidy()
            self.bases[c] = self.run(c)
        return self.bases[c]

    def check(self, name, wrong, r):
        """A run is over: nothing may be left, whatever else it was."""
        self.total.runs += 1
        if wrong is None and r.left:
            wrong = 'left behind: ' + ', '.join(r.left)
        self.w.tidy()
        # where nothing can be removed, or polrun is killed, the broker's file stays until the next change
        if re.search(r' unlinkat \d+\+ |: kill -9 of polrun', name) and os.path.exists(self.w.temporary):
            os.unlink(self.w.temporary)
        now = self.w.host()
        if now != self.w.before:
            was, files = self.w.before['files'], now['files']
            wrong = wrong or 'changed: ' + ', '.join(
                [k for k in now if now[k] != self.w.before[k]] +
                [f'{os.path.relpath(p, self.w.work)} {was.get(p)} {files.get(p)}'
                 for p in sorted({*was, *files}) if was.get(p) != files.get(p)])
            self.w.before = now
        self.total.check(name, wrong, r)

    @staticmethod
    def launch(c, s):
        return '' if c.fault or s.role not in ('child', 'polinit', 'command') else '/1'

    def way(self, note):
        role = note[1]
        program = 'polrun' if role in ('polrun', 'child', 'owner', 'copier') else 'polinit'
        return self.symbols[program].way(note[5])

    def as_made(self, r, s, what):
        """The site, by the way to the call that failed.  How often polrun waits differs
        from run to run, so the number may be that of another call than was recorded.  None: that one
        has no way, as realloc of a stream in memory, which libc calls."""
        way = self.way(made(r, s, what))
        return s._replace(way=way) if way else None

    def record(self, c):
        base = self.base(c)
        if base.status != 7 or base.left or SECRET in base.out:
            self.check(f'{c.name}: the undisturbed run', f'is disturbed: {base}', base)
            return []
        r = self.run(c, log=True)
        sites, seen, looped = [], set(), set()
        for note in r.notes:
            kind, role, call, n = note[:4]
            way = self.way(note)
            # a run that is begun again counts again: the fault is in the first
            if kind == 'F' and way and not way[0].startswith('fault_') and \
                    (role, call, n) not in seen:
                seen.add((role, call, n))
                sites.append(Site(role, call, int(n), way, (role, call) in looped))
                if 'run_loop' in way:
                    looped.add((role, call))
        self.check(f'{c.name}: recorded', differs(r, base), r)
        return sites

    # the tasks

    def fail(self, c, s, e):
        """A call fails."""
        # how often polrun waits while the command runs differs
        for _ in range(5 if varies(s) else 1):
            # what lets polrun begin again is not there the second time
            r = self.run(c, f'{s.role}:{s.call}:{s.n}{self.launch(c, s)}:{e}')
            if is_made(r, s, e):
                s = self.as_made(r, s, e)
                if not s:
                    return
                break
        else:
            if varies(s):
                return
        self.check(f'{c.name}: {s.role} {s.call} {s.n} {e} ({" < ".join(s.way[:4])})',
                   judge(self.expect.of(s, e), e, s, r, self.base(c)), r)

    def stay(self, c, s, e):
        """A call and every later one fail: no loop without end, no wall less."""
        base = self.base(c)
        r = self.run(c, f'{s.role}:{s.call}:{s.n}+:{e}')
        wrong = None
        if not is_made(r, s, e):
            if varies(s):
                return
            wrong = 'the call was not made'
        elif SECRET in r.out:
            wrong = 'what is hidden is shown'
        elif r.status in (125, 126, 127):
            if 'polrun: ' not in r.err:
                wrong = 'nothing is said'
        elif r.status == 123 and 'run ended' in r.err:
            pass  # a wall is said to be gone
        elif r.status != base.status:
            wrong = f'exit status {r.status}, want 125 or {base.status}'
        # while the command runs, a later one may be a call that the broker makes for it, also to show
        # /proc/self/status
        elif r.out != base.out and not ((self.expect.of(s, e) in ('absent', 'closed', 'answered') or
                                         'run_loop' in s.way) and set(walls(r.out)) <= set(walls(base.out))):
            wrong = 'the command sees something else'
        self.check(f'{c.name}: {s.role} {s.call} {s.n}+ {e} ({" < ".join(s.way[:4])})', wrong, r)

    def kill(self, c, s):
        """A process of the run is killed before a call."""
        base = self.base(c)
        r = self.run(c, f'{s.role}:{s.call}:{s.n}:stop', kill=s.role)
        allowed = {'polrun': (-9,), 'command': (125, 137),
                   'owner': (base.status, 125), 'copier': (base.status, 125)}.get(
                       s.role, (125, base.status))
        wrong = None
        if not is_made(r, s):
            if varies(s):
                return
            wrong = 'the call was not made'
        elif r.status not in allowed:
            wrong = f'exit status {r.status}, want one of {allowed}'
        elif SECRET in r.out:
            wrong = 'what is hidden is shown'
        self.check(f'{c.name}: kill -9 of {s.role} before {s.call} {s.n} ({" < ".join(s.way[:3])})',
                   wrong, r)

    def move(self, c, role, call):
        """Reads or writes of files move one byte."""
        r = self.run(c, f'{role}:{call}:*:short')
        self.check(f'{c.name}: {role}: every {call} of a file moves one byte',
                   differs(r, self.base(c)), r)

    def descriptors(self, c, closed):
        base = self.base(c)
        r = self.run(c, closed=closed)
        wrong = None
        if r.status != base.status:
            wrong = f'exit status {r.status}, want {base.status}'
        elif r.out != ('' if 1 in closed else base.out):
            wrong = 'the command sees something else'
        elif tidy_report(r.report) != tidy_report(base.report):
            wrong = 'another report'
        self.check('closed: ' + ' '.join(map(str, closed)), wrong, r)

    def large(self, c):
        """A report that may not be as long: the status stays, a line says so."""
        base = self.base(c)
        wrong = None
        r = self.run(c, fsize=len(base.report) * 3 // 4)
        if r.status != base.status or 'File too large' not in r.err:
            wrong = f'status {r.status}, or no line says so'
        elif r.report:
            wrong = 'half a report is left'
        self.check('a report past the limit of file sizes', wrong, r)

    def full(self, c):
        """The same on a full disk."""
        base = self.base(c)
        disk = os.path.join(self.w.work, 'disk')
        os.mkdir(disk)
        report = os.path.join(disk, 'r.json')
        script = ('mount -t tmpfs -o size=4k none "$0" && { dd if=/dev/zero of="$0/fill" bs=4k '
                  'count=2 2>/dev/null; "$@"; s=$?; stat -c "size %s" "$0/r.json" >&2; exit $s; }')
        r = self.run(c, report=report,
                     before=('unshare', '-m', '--propagation', 'private', 'sh', '-c', script, disk))
        os.rmdir(disk)
        wrong = None
        if r.status != base.status or 'No space left on device' not in r.err:
            wrong = f'status {r.status}, or no line says so'
        elif 'size 0' not in r.err:
            wrong = 'half a report is left'
        self.check('a report on a full disk', wrong, r)


def walls(out):
    return re.findall(r'^(?:Cap|NoNewPrivs|Seccomp).*$', out, re.M)


class Plan:
    """What is to be done."""

    def __init__(self, runner, expect, how, only):
        self.r, self.expect, self.how, self.only = runner, expect, how, only
        self.tasks, self.known = [], set()

    def is_wanted(self, s):
        return not self.only or self.only in s.way or self.only in (s.call, s.role)

    def calls(self, c):
        """Every call of a run fails, and stays so from the first on each way to one."""
        sites = self.r.record(c)
        if c.within is not None:
            sites = [s for s in sites if c.within & set(s.way) or
                     (s.role, s.call, s.way) not in self.known]
        first = choose([s for s in sites if (s.role, s.call, s.way) not in self.known], 'first')
        self.known |= ways(sites)
        chosen = [s for s in choose(sites, 'first' if c.first else self.how) if self.is_wanted(s) and
                  (self.how != 'each' or self.only or in_half(s.role, s.call, s.n))]
        for s in chosen:
            errs = self.expect.errnos[s.call]
            if self.how == 'each':
                errs = of_the_day(errs, s.n)
            elif self.how == 'first':
                errs = errs[:1] + (['EINTR'] if 'EINTR' in errs[1:] else [])
            self.tasks += [Task('fail', c, (s, e)) for e in errs]
        for i, s in enumerate(first):
            if self.how == 'each' and (i + int(os.environ['POL_SLICE'])) % 7:
                continue
            # a signal at every call for ever is nothing that a kernel does
            e = next(e for e in self.expect.errnos[s.call] if e != 'EINTR')
            if self.is_wanted(s):
                self.tasks += [Task('stay', c, (s, e))]
            if not self.only and s.call not in MEMORY:
                self.tasks += [Task('kill', c, (s,))]
        print(f'{c.name}: {len(sites)} calls, {len(ways(sites))} ways to one, '
              f'{len(chosen)} chosen')

    def others(self, c):
        self.tasks += [Task('move', c, m) for m in (('polrun', 'pread'), ('polrun', 'read'),
                                                    ('polrun', 'write'), ('polinit', 'write'))]
        for k in (1, 2, 3):
            self.tasks += [Task('descriptors', c, (fds,))
                           for fds in itertools.combinations((0, 1, 2), k)]
        self.tasks += [Task('large', c, ())] + ([Task('full', c, ())] if ROOT else [])


def work(bindir, directory, symbols, tasks, queue, results):
    """A worker: takes the number of a task after another."""
    r = Runner(bindir, directory, symbols)
    while True:
        number = os.read(queue, 4)
        if len(number) < 4:
            break
        t = tasks[struct.unpack('I', number)[0]]
        try:
            getattr(r, t.kind)(t.scenario, *t.args)
        except Exception:
            r.total.check(f'{t.scenario.name}: {t.kind} {t.args}', traceback.format_exc())
    os.write(results, json.dumps([r.total.runs, r.total.passed, r.total.failed]).encode() + b'\n')


def share_out(bindir, directory, symbols, tasks, jobs):
    """Does the tasks; each worker's runs, passed, failed."""
    out, queue = os.pipe()
    got, results = os.pipe()
    pids = []
    sys.stdout.flush()
    for k in range(jobs):
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                os.close(queue)
                os.close(got)
                work(bindir, os.path.join(directory, str(k)), symbols, tasks, out, results)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(status)
        pids.append(pid)
    os.close(out)
    os.close(results)
    try:
        for i in range(len(tasks)):
            os.write(queue, struct.pack('I', i))
    except BrokenPipeError:
        pass
    os.close(queue)
    with os.fdopen(got) as f:
        sums = [json.loads(line) for line in f]
    for pid in pids:
        os.waitpid(pid, 0)
    return sums


def strays(place):
    """Processes that somebody else adopted: known by their program or directory."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        for link in ('exe', 'cwd'):
            try:
                to = os.readlink(f'/proc/{pid}/{link}')
            except OSError:
                continue
            if to.startswith(place + '/') and int(pid) != os.getpid():
                found.append(f'{pid} ({to}) in ' + ' '.join(sorted(namespaces([pid]))))
    return found


def main():
    base_dir, directory, how = sys.argv[1:4]
    only = sys.argv[4] if len(sys.argv) > 4 else ''
    jobs = int(sys.argv[5]) if len(sys.argv) > 5 else len(os.sched_getaffinity(0))
    bindir = os.path.join(base_dir, 'bin')
    os.umask(0o022)
    began = time.monotonic()
    with open(os.path.join(base_dir, 'ours')) as f:
        ours = f.read().split()
    symbols = {p: Symbols(os.path.join(bindir, p), ours) for p in ('polrun', 'polinit')}
    r = Runner(bindir, os.path.join(directory, 'm'), symbols)
    plan = Plan(r, r.expect, how, only)
    for c in SCENARIOS:
        if ROOT or not c.only_root:
            plan.calls(c)
    if not only:
        plan.others(SCENARIOS[0])
    sums = share_out(bindir, directory, symbols, plan.tasks, jobs)
    total = r.total
    for runs, passed, failed in sums:
        total.runs, total.passed, total.failed = (
            total.runs + runs, total.passed + passed, total.failed + failed)
    total.check('every worker has ended', None if len(sums) == jobs else f'{len(sums)} of {jobs}')
    left = strays(directory) + strays(bindir)
    total.check('no process is left with somebody else', '; '.join(left) or None)
    print(f'{total.runs} runs, {jobs} at a time, in {time.monotonic() - began:.0f} s')
    print(f'{total.passed} passed, {total.failed} failed, 0 skipped')
    sys.exit(total.failed != 0)


if __name__ == '__main__':
    main()
