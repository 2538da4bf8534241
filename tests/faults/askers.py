#!/usr/bin/env python3
"""Makes every system call of the process that asks about connections fail, and of the one
that looks at the run for it: no failure may make a yes of a no.

    askers.py BASE WORK all|each|first [CALL|ROLE]      as faults.py
      BASE   holds bin/{polc,asker} (tests/faults/asker.c)
      each   every call, one of its errnos: that of the day POL_SLICE

Each scenario has an undisturbed outcome.  Where that is a no, every outcome of a failing
call is one ("no", or the asker has ended, which the supervisor takes as a no, or the run
is refused), and nothing is remembered.  Where it is a yes, a failing call may give a no,
and EINTR changes nothing.  Nothing may be silent, nor stay behind.
"""
import collections, itertools, os, pty, re, select, shutil, signal, socket, subprocess, sys, threading, time

from faults import in_half

HERE = os.path.dirname(os.path.abspath(__file__))
ROLES = ('polrun', 'asker', 'looker')
POLICY = '''policy asks { base none }
command { otherwise allow }
network limited { ask tcp "a.example" port 443  because "it is asked" }
'''
ENV = {'PATH': '/usr/sbin:/usr/bin:/sbin:/bin', 'LANG': 'C.UTF-8'}
RUN, SESSION, DENY = (('{"effect":"%s"%s}\n' % x).encode() for x in (
    ('allow', ',"for":"run"'), ('allow', ',"for":"session"'), ('deny', '')))


class Server:
    """Says the same to each question."""

    def __init__(self, path, says):
        self.path, self.says = path, says
        self.s = socket.socket(socket.AF_UNIX)
        self.s.bind(path)
        self.s.listen(64)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            c, _ = self.s.accept()
            try:
                c.settimeout(5)
                got = b''
                while not got.endswith(b'\n'):
                    d = c.recv(4096)
                    if not d:
                        break
                    got += d
                c.sendall(self.says)
            except OSError:
                pass
            c.close()


class Scenario:
    def __init__(self, name, want, args, types=None, remembered=False):
        self.name, self.want, self.args, self.types = name, want, args, types
        self.remembered = remembered


class World:
    def __init__(self, bindir, work):
        os.makedirs(work, 0o700)
        self.work, self.asker = work, os.path.join(bindir, 'asker')
        self.state, self.kept = os.path.join(work, 'state'), os.path.join(work, 'kept')
        self.bundle = os.path.join(work, 'p.polb')
        with open(os.path.join(work, 'p.pol'), 'w') as f:
            f.write(POLICY)
        subprocess.run([os.path.join(bindir, 'polc'), 'compile', 'p.pol', '-o', 'p.polb'], cwd=work,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.chmod(self.bundle, 0o600)
        self.servers = {n: Server(os.path.join(work, n), says).path
                        for n, says in (('run', RUN), ('session', SESSION), ('deny', DENY))}
        self.turn = 0
        # an answer that a session remembers, for the scenarios that begin with one
        self.run(Scenario('', '', ('tty', self.servers['session'], 's1')))
        shutil.copytree(self.state, self.kept)
        self.scenarios = (
            Scenario('nobody', 'no no', ('deny',)),
            Scenario('a socket says no', 'no no', ('tty', self.servers['deny'])),
            Scenario('a socket says yes', 'yes yes', ('tty', self.servers['run'])),
            Scenario('yes for the session', 'yes yes', ('tty', self.servers['session'], 's2')),
            Scenario('remembered', 'yes yes', ('tty', self.servers['deny'], 's1'), remembered=True),
            Scenario('remembered for another session', 'no no', ('tty', self.servers['deny'], 's2'),
                     remembered=True),
            Scenario('no terminal', 'no no', ('tty',)),
            Scenario('a person says no', 'no no', ('tty',), types=b'd\n'),
            Scenario('a person says yes', 'yes yes', ('tty',), types=b'o\n'),
            Scenario('a person says yes for the session', 'yes yes', ('tty', '', 's2'), types=b's\n'),
        )

    def first(self, c):
        """What was remembered when the scenario began."""
        return self.answers(self.kept) if c.remembered else {}

    def answers(self, place=None):
        """What is remembered."""
        found = {}
        for top, _, names in os.walk(place or self.state):
            for n in names:
                try:
                    with open(os.path.join(top, n), 'rb') as f:
                        found[n] = f.read()
                except FileNotFoundError:
                    pass  # a temporary name of one that is about to end
        return {n: t for n, t in found.items() if t}

    def run(self, c, fault=None, log=False):
        """The answers, and the lines of the faults."""
        # an asker whose driver has ended may write for a moment: each run has a folder of its own
        shutil.rmtree(self.state, ignore_errors=True)
        self.turn += 1
        self.state = os.path.join(self.work, f'state.{self.turn}')
        if c.remembered:
            shutil.copytree(self.kept, self.state)
        else:
            os.mkdir(self.state, 0o700)
        env = dict(ENV, **({'POL_FAULT': fault} if fault else {}), **({'POL_FAULT_LOG': '1'} if log else {}))
        args = [self.asker, self.bundle, self.state, *c.args]
        said = (self.at_terminal if c.types else self.without)(args, env, c.types)
        m = re.search(r'^answers: (.*?)\r?$', said, re.M)
        return m[1] if m else f'nothing: {said[-300:]}', said

    def without(self, args, env, _):
        """Without a controlling terminal; the notes go to a file: a pipe would be waited for."""
        path = os.path.join(self.work, f'said.{self.turn}')
        # for appending, and read by another descriptor: who outlives the driver shares this one's position
        with open(path, 'ab') as f:
            p = subprocess.Popen(args, env=env, stdin=subprocess.DEVNULL, stdout=f, stderr=f,
                                 start_new_session=True)
            try:
                p.wait(60)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
        with open(path, errors='replace') as f:
            said = f.read()
        os.unlink(path)
        return said

    def at_terminal(self, args, env, types):
        """On a terminal of its own, where this is typed at each prompt."""
        pid, fd = pty.fork()
        if pid == 0:
            os.execve(args[0], args, env)
        said, prompts, end = b'', 0, time.monotonic() + 60
        while time.monotonic() < end:
            ready, _, _ = select.select([fd], [], [], 0.5)
            try:
                data = os.read(fd, 1 << 16) if ready else None
            except OSError:
                break
            if data == b'':
                break
            said += data or b''
            if said.count(b'details: ') > prompts:
                prompts += 1
                os.write(fd, types)
        else:
            os.kill(pid, signal.SIGKILL)
        os.close(fd)
        os.waitpid(pid, 0)
        return said.decode(errors='replace')


class Sum:
    passed = failed = runs = 0

    def check(self, name, wrong):
        if wrong is None:
            self.passed += 1
        else:
            self.failed += 1
            print(f'FAIL asker, {name}: {wrong}', flush=True)


def errnos():
    with open(os.path.join(HERE, 'calls.txt')) as f:
        rows = [l.split('#')[0].split() for l in f]
    return {r[0]: r[1:] for r in rows if r}


def wrong_with(c, got, err, told, before, after):
    """None, or what is wrong with the outcome of a failing call."""
    words = got.split()
    if not told:
        return 'the call was not made'
    if not words or not set(words) <= {'yes', 'no', 'gone', 'refused'}:
        return f'the answers are {got}'
    if err == 'EINTR' and got != c.want:
        return f'{got}, want {c.want}: EINTR changes nothing'
    if c.want == 'no no':
        if 'yes' in words:
            return f'a no has become a yes: {got}'
        if before != after:
            return 'something is remembered'
    return None


def strays(asker):
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            if os.readlink(f'/proc/{pid}/exe').startswith(asker):
                found.append(pid)
        except OSError:
            pass
    return found


def main():
    base, directory, how = sys.argv[1:4]
    only = sys.argv[4] if len(sys.argv) > 4 else ''
    day = int(os.environ.get('POL_SLICE') or 0)
    os.umask(0o022)
    w, total, errs = World(os.path.join(base, 'bin'), os.path.join(directory, 'askers')), Sum(), errnos()
    for c in w.scenarios:
        got, said = w.run(c, log=True)
        total.runs += 1
        total.check(f'{c.name}: undisturbed', None if got == c.want else f'{got}, want {c.want}')
        if got != c.want:
            continue
        sites, found = [], set()
        ways = collections.Counter()
        for role, call, n, way in re.findall(r'@F (\S+) (\S+) (\d+)((?: [0-9a-f]+)*)', said):
            if role in ROLES and call in errs and (role, call, n) not in found:
                found.add((role, call, n))
                ways[role, call, way] += 1
                # a loop over processes or memory makes the same call often
                if how == 'all' or ways[role, call, way] <= (1 if how == 'first' else 3):
                    sites.append((role, call, int(n)))
        # polrun reads the bundle, which faults.py disturbs
        begun = next(i for i, s in enumerate(sites) if s[:2] == ('polrun', 'socketpair'))
        sites = sites[begun:]
        roles = {s[0] for s in sites}
        total.check(f'{c.name}: every process is seen', None if roles == (
            set(ROLES) - ({'looker'} if c.args[0] == 'deny' else set())) else f'only {roles}')
        for (role, call, n), i in zip(sites, itertools.count()):
            if (only and only not in (role, call) or
                    how == 'each' and not only and not in_half(role, call, n)):
                continue
            choice = errs[call]
            if how == 'first':
                choice = choice[:1]
            elif how == 'each':
                choice = [choice[(day + i) % len(choice)]]
            for e, later in itertools.product(choice, ('', '+')):
                if later and (e == 'EINTR' or how == 'each' and (i + day) % 7):
                    continue
                # the driver's own sending and waiting is no part of polrun
                if role == 'polrun' and (later or call in ('send', 'recv', 'poll')):
                    continue
                # what the looker finds in /proc differs from run to run, and which process comes first
                for _ in range(5 if role == 'looker' else 3):
                    got, said = w.run(c, f'{role}:{call}:{n}{later}:{e}')
                    after = w.answers()
                    total.runs += 1
                    told = f'@I {role} {call} {n} {e}' in said
                    if told:
                        break
                if not told and role == 'looker':
                    continue
                total.check(f'{c.name}: {role} {call} {n}{later} {e}',
                            wrong_with(c, got, e, told, w.first(c), after))
    left = strays(w.asker)
    for _ in range(50):
        if not left:
            break
        time.sleep(0.1)  # one that was told to end may be about to
        left = strays(w.asker)
    total.check('no asker is left', f'pids {left}' if left else None)
    print(f'{total.runs} runs of the asker')
    print(f'{total.passed} passed, {total.failed} failed, 0 skipped')
    sys.exit(total.failed != 0)


if __name__ == '__main__':
    main()
