"""What the parts of bench/attack share: a folder, assay run in it, and what must not be seen afterwards."""

import contextlib
import os
import random
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

MARK = "ASSAY_ATTACK"  # in the environment of all that is started, so that survivors are known
STATUSES = (0, 1, 2, 4, 5)  # docs/command-line.md; 3 is a failure of assay itself
SANITIZERS = ("AddressSanitizer", "LeakSanitizer", "runtime error:", "ThreadSanitizer")


class Arena:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.random = random.Random(options.seed)
        self.assay = os.path.abspath(options.assay)
        self.asan = os.path.join(os.path.abspath(options.asan), "assay")
        self.problems = []
        self.note = ""  # said behind the figures
        self.lock = threading.Lock()
        self.environment = {**os.environ, MARK: folder, "TMPDIR": self.path("tmp"), "HOME": self.path("home"),
                            "ASAN_OPTIONS": "abort_on_error=0:exitcode=99", "UBSAN_OPTIONS": "print_stacktrace=1"}
        os.makedirs(self.path("tmp"))
        os.makedirs(self.path("home"))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def problem(self, text):
        with self.lock:
            self.problems.append(text)

    @contextlib.contextmanager
    def pool(self):
        """A function that runs others side by side; what one of them raises is raised at the end."""
        started = []
        with ThreadPoolExecutor(self.options.jobs) as threads:
            yield lambda *call: started.append(threads.submit(*call))
        for each in started:
            each.result()

    def start(self, *words, **more):
        return subprocess.Popen(words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace", **more)

    def has(self, *programs):
        """Whether all of them were built; what was not is a problem."""
        missing = [path for path in programs if not os.path.exists(path)]
        for path in missing:
            self.problem(f"{path} is not there: build it")
        return not missing

    def run(self, what, *words, limit=120, environment=None, cwd=None):
        """Runs a command to its end; a hang, a crash or a status that is not documented is a problem.  Its output."""
        try:
            done = subprocess.run(words, cwd=cwd or self.folder, env={**self.environment, **(environment or {})},
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  errors="replace", timeout=limit)
        except subprocess.TimeoutExpired as e:
            self.problem(f"{what}: not done after {limit} s")
            return (e.stdout or b"").decode(errors="replace")
        self.judge(what, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def judge(self, what, status, text):
        report = next((line for line in text.splitlines() if any(word in line for word in SANITIZERS)), None)
        if report:
            self.problem(f"{what}: {report.strip()[:200]}")
        elif status not in STATUSES:
            last = text.strip().splitlines()[-1:] or [""]
            self.problem(f"{what}: exit status {status}: {last[0][:200]}")

    def survivors(self):
        """Processes that were started here, or work here."""
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid():
                continue
            try:
                with open(f"/proc/{name}/environ", "rb") as f:
                    ours = f"{MARK}={self.folder}".encode() in f.read().split(b"\0")
                ours = ours or os.readlink(f"/proc/{name}/cwd").startswith(self.folder + "/tmp")
                with open(f"/proc/{name}/cmdline", "rb") as f:
                    ours = ours or self.folder.encode() in f.read()
                with open(f"/proc/{name}/stat") as f:
                    ended = f.read().rsplit(")", 1)[1].split()[0] in "ZX"
            except OSError:
                continue
            if ours and not ended:
                found.append(int(name))
        return found

    def expect_none_left(self, what, wait=5.0):
        """After that many seconds no process may be left; one that is, is a problem, and is killed."""
        end = time.time() + wait
        left = self.survivors()
        while left and time.time() < end:
            time.sleep(0.05)
            left = self.survivors()
        for pid in left:
            try:
                with open(f"/proc/{pid}/cmdline") as f:
                    command = f.read().replace("\0", " ")
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
            self.problem(f"{what}: '{command.strip()[:120]}' survived")
