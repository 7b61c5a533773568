#!/usr/bin/env python3
"""findings/patience.py: who never got a processor is not hung.  No case depends on how fast this machine is."""

import os
import signal
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import commands  # noqa: E402

patience = commands.load("findings/patience.py")
# It starts a child, says the child's number, then both do what is asked for.
FAMILY = """
import os, sys, time
read, write = os.pipe()
child = os.fork()
if child:
    print(child, flush=True)
while sys.argv[1] == "compute" and not child:
    pass
os.close(write)
os.read(read, 1)
time.sleep(1000)
"""


def ends_at(seconds, had, wants=lambda now: False):
    """The second at which a process of this kind is over: what it had of the processor, whether it wants one."""
    now = [0]
    limit = patience.Limit(1, seconds, clock=lambda: now[0], looks=lambda _: (had(now[0]), wants(now[0])))
    while not limit.over():
        now[0] += 1
    return now[0]


class Limit(unittest.TestCase):
    def test_who_computes_alone_gets_the_seconds(self):
        self.assertEqual(ends_at(60, had=lambda now: now), 60)

    def test_threads_at_once_do_not_shorten_it(self):
        self.assertEqual(ends_at(60, had=lambda now: 64 * now), 60)

    def test_who_gets_a_third_of_a_processor_gets_as_much_of_it(self):
        self.assertEqual(ends_at(60, had=lambda now: now / 3), 180)

    def test_who_never_gets_one_is_not_hung_for_long(self):
        self.assertEqual(ends_at(60, had=lambda now: 0, wants=lambda now: True), patience.GENEROUS * 60)

    def test_who_was_starved_at_first_gets_what_is_his(self):
        self.assertEqual(ends_at(60, had=lambda now: max(0, now - 200), wants=lambda now: now <= 200), 260)

    def test_who_does_nothing_is_hung(self):
        self.assertEqual(ends_at(60, had=lambda now: 0), 60)
        self.assertEqual(ends_at(60, had=lambda now: min(now, 30)), 90)

    def test_who_wakes_now_and_then_ends_too(self):
        self.assertEqual(ends_at(60, had=lambda now: now // 40 * 0.01), patience.GENEROUS * 60)


class Processes(unittest.TestCase):
    def start(self, what):
        process = subprocess.Popen([sys.executable, "-c", FAMILY, what], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(patience.end, process.pid)
        return process, int(process.stdout.readline())

    def test_what_a_child_computes_counts(self):
        process, _ = self.start("compute")
        before = patience.look(process.pid)[0]
        while patience.look(process.pid)[0] < before + 0.05:  # it gets there at last, however busy the machine
            pass
        self.assertTrue(any(patience.look(process.pid)[1] for _ in range(1000)))

    def test_who_sleeps_wants_nothing(self):
        process, child = self.start("sleep")
        while patience.look(process.pid)[1]:  # both are on their way to sleep
            pass
        self.assertEqual(set(patience._with_children(process.pid)), {process.pid, child})

    def test_the_end_is_of_all(self):
        process, child = self.start("sleep")
        patience.end(process.pid)
        self.assertEqual(process.wait(), -signal.SIGKILL)
        state = patience._fields(f"/proc/{child}/stat")[:1]
        while state not in ([], ["Z"]):  # nobody takes it away who belongs to this test
            state = patience._fields(f"/proc/{child}/stat")[:1]

    def test_a_process_that_is_gone(self):
        process = subprocess.Popen([sys.executable, "-c", ""])
        process.wait()
        self.assertEqual(patience.look(process.pid), (0, False))
        patience.end(process.pid)


if __name__ == "__main__":
    unittest.main()
