#!/usr/bin/env python3
"""What bench/versions records, when a claim says nothing about a release, and what pages take from a script.

No library is needed, nor numpy: a stand-in is enough for what is asked of findings/common.py here.
"""

import argparse
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))

import commands  # noqa: E402
import finding_case  # noqa: E402

BENCH = commands.load("bench/versions")


def claim(name="erf", code="a", versions=("2.0",)):
    """Has what the bench reads of one."""
    return argparse.Namespace(library="lib", name=name, versions=list(versions), digest=lambda: code)


class Recorded(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.path = folder.name, os.path.join(folder.name, "versions.tsv")

    def test_a_result_is_kept_at_once_and_belongs_to_the_script(self):
        BENCH.Record(self.path).add(claim(), "1.9", "shows")
        BENCH.Record(self.path).add(claim(), "1.10", "does not show")
        again = BENCH.Record(self.path)
        self.assertEqual([version for _, _, version in again.results], ["1.10", "1.9"])
        self.assertTrue(again.has(claim(), "1.9"))
        self.assertFalse(again.has(claim(code="b"), "1.9"))
        self.assertFalse(again.has(claim(), "1.8"))

    def test_two_commands_at_once_lose_no_row(self):
        first, second = BENCH.Record(self.path), BENCH.Record(self.path)
        first.add(claim("a"), "1.9", "shows")
        second.add(claim("b"), "1.9", "shows")
        first.add(claim("c"), "1.9", "shows")
        self.assertEqual([name for _, name, _ in BENCH.Record(self.path).results], ["a", "b", "c"])

    def test_processes_at_once_lose_no_row(self):
        children = []
        for n in range(4):
            children.append(os.fork())
            if not children[-1]:
                try:
                    for i in range(25):
                        BENCH.Record(self.path).add(claim(f"{n}-{i}"), "1.9", "shows")
                    os._exit(0)
                finally:  # what fails must not go on with the tests
                    os._exit(1)
        for child in children:
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(len(BENCH.Record(self.path).results), 100)

    def test_what_has_no_script_any_more_goes(self):
        record = BENCH.Record(self.path)
        record.add(claim(), "1.9", "shows")
        record.drop_without_script()
        self.assertEqual(record.results, {})

    def run_with(self, statuses):
        """Runs claims that end so; the result of each, and how many are not as their heads say."""
        own = [claim(name, versions=["1.0"]) for name in sorted(statuses)]
        record = BENCH.Record(self.path)
        options = argparse.Namespace(work=self.folder, jobs=1, timeout=1, keep=False, preload=None, without=None)
        with mock.patch.object(BENCH.claims, "run_claim", lambda _, one, *__: (statuses[one.name], "")), \
                mock.patch.object(BENCH.claims.Environments, "get", lambda *_: ("python", "", "")), \
                mock.patch.object(BENCH.claims, "say", lambda _: None):
            failed = BENCH.run_version("lib", "1.0", own, record, options)
        return {name: status for (_, name, _), (status, _) in record.results.items()}, failed

    def test_a_run(self):
        self.assertEqual(self.run_with({"a": "shows", "b": "cannot say"}), ({"a": "shows", "b": "cannot say"}, 1))

    def test_a_release_that_refuses_all_was_not_asked(self):
        self.assertEqual(self.run_with({"a": "cannot say", "b": "cannot say"})[0],
                         {"a": "could not run", "b": "could not run"})

    def test_pages_take_results_of_this_script_and_what_its_head_names(self):
        results = {("lib", "erf", "1.9"): ("does not show", "a"), ("lib", "erf", "1.10"): ("shows", "old"),
                   ("lib", "other", "1.8"): ("shows", "a")}
        self.assertEqual(list(BENCH.claims.measured(claim(), results).items()),
                         [("2.0", "shows"), ("1.9", "does not show")])


class Preloaded(unittest.TestCase):
    """A claim in a fork of a process that has a module already."""

    def run_script(self, code, seconds=20, words=("bisect",)):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "claim.py")
            with open(path, "w", encoding="utf-8") as f:
                f.write(code)
            process = BENCH.Preloaded(sys.executable, words, "1.0")
            self.addCleanup(process.close)
            return [process.run(argparse.Namespace(path=path), seconds) for _ in range(2)]

    def test_statuses(self):
        said = "import os, sys\nprint('bisect' in sys.modules, os.environ['CLAIM_VERSION'])\n"
        for code, status in ((1, "shows"), (0, "does not show")):
            last = BENCH.claims.LAST[code]
            self.assertEqual(self.run_script(f"{said}print({last!r}, flush=True)\nos._exit({code})\n"),
                             [(status, f"True 1.0\n{last}")] * 2)

    def test_what_fails_hangs_or_dies_could_not_run(self):
        for code in ("raise ValueError", "import os\nos.abort()", "import sys\nsys.exit(1)",
                     "import time\ntime.sleep(60)"):
            self.assertEqual([status for status, _ in self.run_script(code, 1)], ["could not run"] * 2)

    def test_what_is_kept_out_is_imported_by_the_claim_alone(self):
        code = """
import os, sys
print("statistics" in sys.modules, "bisect" in sys.modules, "random" in sys.modules)
import random
print("the fault shows", flush=True)
os._exit(1)
"""
        for words, seen in ((("bisect", "random"), "False True True"), (("bisect", "-random"), "False True False")):
            self.assertEqual(self.run_script(code, words=words), [("shows", seen + "\nthe fault shows")] * 2)

    def test_what_cannot_run_so_runs_by_itself(self):
        options = argparse.Namespace(work="", jobs=1, timeout=1, keep=True, preload=["bisect"], without=None)
        record = mock.Mock()
        with mock.patch.object(BENCH.claims, "run_claim", lambda *_: ("shows", "")), \
                mock.patch.object(BENCH.Preloaded, "run", lambda *_: ("could not run", "")), \
                mock.patch.object(BENCH.claims.Environments, "get", lambda *_: (sys.executable, "", "")), \
                mock.patch.object(BENCH.claims, "say", lambda _: None):
            BENCH.run_version("lib", "1.0", [claim()], record, options)
        self.assertEqual(record.add.call_args[0][2], "shows")


class Verdict(unittest.TestCase):
    """findings/common.py: cases are (neighbour?, right?, as claimed?, refused?, refused though neither?)."""

    FAULT, RIGHT = (False, False, True, False, False), (True, True, True, False, False)
    REFUSED, RIGHT_REFUSED = (False, False, False, True, True), (True, False, False, True, True)
    RIGHTLY_REFUSED, CLAIMED_REFUSED = (False, True, False, True, False), (False, False, True, True, False)

    @classmethod
    def setUpClass(cls):
        numpy = types.SimpleNamespace(float32=None, ndarray=list)
        with mock.patch.dict(sys.modules, numpy=numpy), mock.patch.object(sys, "excepthook"):
            cls.common = commands.load("findings/common.py")

    def verdict(self, *cases):
        with mock.patch.object(self.common, "_cases", list(cases)), mock.patch("builtins.print"), \
                mock.patch.object(self.common.os, "_exit") as end:
            self.common.verdict()
        return BENCH.claims.STATUS[end.call_args[0][0]]

    def test_statuses(self):
        self.assertEqual(self.verdict(self.FAULT, self.RIGHT), "shows")
        self.assertEqual(self.verdict(self.CLAIMED_REFUSED, self.RIGHT), "shows")
        self.assertEqual(self.verdict((False, True, False, False, False), self.RIGHT), "does not show")
        self.assertEqual(self.verdict(self.RIGHTLY_REFUSED, self.RIGHT), "does not show")
        self.assertEqual(self.verdict(self.FAULT, (True, False, False, False, False)), "otherwise")

    def test_a_library_that_refuses_the_case_says_nothing(self):
        self.assertEqual(self.verdict(self.REFUSED, self.RIGHT), "cannot say")
        self.assertEqual(self.verdict(self.RIGHTLY_REFUSED, self.RIGHT_REFUSED), "cannot say")
        self.assertEqual(self.verdict(self.CLAIMED_REFUSED, self.RIGHT_REFUSED), "cannot say")
        self.assertEqual(self.verdict(self.REFUSED, self.FAULT), "otherwise")


SCRIPT = '''"""title: x"""
import numpy as np
from library import Died, array, model, right, run, verdict, wrong


def erf(kind, *values):
    m = model("(%s[2] x) => (%s[2] y) { y = Erf(x) }" % (kind, kind), opset=9)
    return lambda: run(m, array([2], values))


wrong("of 1 and 2", erf("float", 1, 2), [0.5, float("nan")], seen=Died("SIGFPE"))
wrong("of numbers that numpy makes", erf("double", *[3, 4]), np.exp([1, 2]), seen=[0, 0])
wrong("of a shape", erf("float", 1, 2), array([2, 1], [1, 2]), seen=array([2], [1, 2]))
right("of 5", erf("float", 5, 6), [1, 1])
for value in np.arange(3):
    wrong("not known", erf("float", value), [1])
'''


class Cases(unittest.TestCase):
    def test_what_a_script_says(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8") as f:
            f.write(SCRIPT)
            f.flush()
            cases = finding_case.cases_of(f.name)
        self.assertEqual([case.what for case in cases], ["of 1 and 2", "of numbers that numpy makes", "of a shape"])
        graph = cases[0].graphs()[0]
        self.assertEqual((graph.text, graph.kind), ("(float[2] x) => (float[2] y) { y = Erf(x) }", "opset 9"))
        self.assertEqual(cases[0].told(), "input 1, 2; expected 0.5, NaN; got the process dies (SIGFPE)")
        self.assertEqual(cases[1].told(), "input 3, 4; got 0, 0")
        self.assertEqual(cases[2].told(), "input 1, 2; expected shape [2, 1] of 1, 2; got shape [2] of 1, 2")

    def test_unknown_gets_into_no_text(self):
        with self.assertRaises(TypeError):
            print("%s" % finding_case.Unknown())


if __name__ == "__main__":
    unittest.main()
