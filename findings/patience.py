"""How long a process may take on a machine that may be busy with others; common.py, preload.py, bench/claims use it.

A limit by the clock calls a process hung that never got a processor.  So a process may take `seconds` of the clock in
any case.  After that it is over when it has had `seconds` of the processor, all that it started counted too; or when
for `seconds` it did nothing, though nothing kept it from going on; or when GENEROUS times as long has passed.
"""

import os
import signal
import time

GENEROUS = 30
_TICKS = os.sysconf("SC_CLK_TCK")


def _fields(path):
    """What a file `stat` of /proc has after the name of the program: state, parent, …; [] where the process is gone."""
    try:
        with open(path) as f:
            return f.read().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return []


def _listed(folder):
    try:
        return [int(name) for name in os.listdir(folder) if name.isdigit()]
    except OSError:
        return []


def _with_children(root):
    """A process and all that it started, as far as their parents live: number → its fields."""
    known = {pid: _fields("/proc/%d/stat" % pid) for pid in _listed("/proc")}
    known = {pid: fields for pid, fields in known.items() if len(fields) > 14}
    family, more = {}, [root] if root in known else []
    while more:
        family.update({pid: known[pid] for pid in more})
        more = [pid for pid, fields in known.items() if int(fields[1]) in family and pid not in family]
    return family


def look(pid):
    """Seconds of the processor that a process and its children have had; whether one wants a processor or a disk."""
    family = _with_children(pid)
    had = sum(sum(map(int, fields[11:15])) for fields in family.values()) / _TICKS
    threads = ((one, thread) for one in family for thread in _listed("/proc/%d/task" % one))
    return had, any(_fields("/proc/%d/task/%d/stat" % pair)[:1] in (["R"], ["D"]) for pair in threads)


def end(pid):
    """Ends a process with all that it started."""
    for one in _with_children(pid) or [pid]:
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Limit:
    """Of a process that has just begun: over() is asked every `pause` seconds."""

    def __init__(self, pid, seconds, clock=time.monotonic, looks=look):
        self.pid, self.seconds, self.clock, self.looks = pid, seconds, clock, looks
        self.pause = min(1, seconds / 4)
        self.had, self.begin = 0, clock()
        self.moved = self.begin  # when it was last seen to do something, or to wait for its turn

    def over(self):
        now = self.clock()
        if now - self.begin >= GENEROUS * self.seconds:
            return True
        had, wants = self.looks(self.pid)
        if had > self.had or wants:
            self.moved = now
        self.had = max(had, self.had)
        return now - self.begin >= self.seconds and (self.had >= self.seconds or now - self.moved >= self.seconds)
