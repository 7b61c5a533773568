#!/usr/bin/env python3
"""bench/fuzz-exceptions runs in pieces: what was run is kept, a call ends after so many runs, both rules are told."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "bench", "fuzz-exceptions")
# Says what `assay fuzz --json` says, and notes that it ran.
ASSAY = """#!/bin/sh
echo "$*" >>"%s"
cat <<END
{"models": 10, "seconds": 1, "coverage": {"olc": 0.5}, "status": {"mcf": 4, "if": 0, "dcf": 6, "dcp": 0},
 "distinct": {"mcf": 1, "if": 0, "dcf": 2}, "discarded": 0, "unsupported": 0,
 "distinct_paper": {"mcf": 2, "if": 0, "dcf": 5, "operators": {"Conv": 4, "Add": 3}}}
END
exit 1
"""


class Pieces(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.ran = os.path.join(self.folder.name, "ran")
        self.keep = os.path.join(self.folder.name, "keep")
        self.assay = os.path.join(self.folder.name, "assay")
        with open(self.assay, "w") as f:
            f.write(ASSAY % self.ran)
        os.chmod(self.assay, 0o755)

    def tearDown(self):
        self.folder.cleanup()

    def call(self, *words):
        return subprocess.run([sys.executable, PROGRAM, "--assay", self.assay, *words], capture_output=True, text=True)

    def runs(self):
        with open(self.ran) as f:
            return f.read().splitlines()

    def test_goes_on_where_it_was(self):
        words = ["--rq1", "--models", "1000", "--seeds", "3", "--keep", self.keep, "--pieces", "1"]
        self.assertEqual([self.call(*words).returncode for _ in range(3)], [3, 3, 0])
        self.assertEqual(len(self.runs()), 3)
        self.assertEqual(len(set(self.runs())), 3)
        for line in self.runs():
            self.assertIn("--search paper ", line)
            self.assertIn("--oracle gbft", line)
            self.assertNotIn("--blocks", line)
        self.assertEqual(self.call(*words).returncode, 0)
        self.assertEqual(len(self.runs()), 3)

    def test_both_rules_are_told(self):
        said = self.call("--rq1", "--models", "10", "--seeds", "2").stdout
        self.assertIn("ours (d/t) 3/10, the paper's rule (d/t) 7/10, operators 2", said)
        self.assertIn("operators over all seeds: 2, Add, Conv", said)

    def test_other_models_are_run_anew(self):
        self.call("--rq1", "--models", "10", "--keep", self.keep)
        self.call("--rq1", "--models", "20", "--keep", self.keep)
        self.assertEqual(len(self.runs()), 2)

    def test_table(self):
        said = self.call("--models", "10", "--keep", self.keep).stdout.splitlines()
        self.assertEqual(len(said), 2 + 5 * 3)
        self.assertIn("| both | yes | mcts | 15 | 50.0 | 1/4 | 0/0 | 2/6 | 3/10 | 7/10 | 2 | 31.2/120.3 |", said[-1])

    def test_several_at_a_time(self):
        words = ["--rq1", "--models", "10", "--seeds", "7", "--keep", self.keep]
        alone, said = self.call(*words[:-2]).stdout, self.call(*words, "--jobs", "3").stdout
        self.assertEqual(said, alone)
        self.assertEqual(sorted(self.runs()), sorted(2 * list(set(self.runs()))))
        with open(self.keep) as f:
            self.assertEqual(len(f.read().splitlines()), 7)

    def test_pieces_need_a_file(self):
        self.assertEqual(self.call("--rq1", "--pieces", "1").returncode, 2)


if __name__ == "__main__":
    unittest.main()
