#!/usr/bin/env python3
"""bench/rewriters measures a rewriter that is far below the bar once, on few models, and says so; a measurement that
breaks is no missed bar."""

import argparse
import contextlib
import io
import os
import sys
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import commands  # noqa: E402

BENCH = commands.load("bench/rewriters")
OPTIONS = argparse.Namespace(assay="assay", rounds=3, seed=0, models=400)


class Measured(unittest.TestCase):
    def of(self, alone_seconds, fuzzed_seconds=1 / 100):
        """What measured() gives, and with how many models each round fuzzed."""
        asked = []

        def fuzzed(_assay, _name, models, _seed):
            asked.append(models)
            return fuzzed_seconds
        with mock.patch.object(BENCH, "fuzzed", fuzzed), mock.patch.object(BENCH, "draw"), \
                mock.patch.object(BENCH, "alone", lambda *_: alone_seconds):
            return BENCH.measured(OPTIONS, "any", "folder"), asked

    def test_far_below_the_bar_is_measured_once(self):
        self.assertEqual(self.of(1 / 15), ((1 / 100, 1 / 15, 1, 100), [100]))

    def test_any_other_has_all_rounds(self):
        for alone in (1 / 110, 1 / 190, 1 / 500):
            self.assertEqual(self.of(alone), ((1 / 100, alone, 3, 400), [100, 400, 400, 400]))

    def test_a_miss_is_one_that_the_rewriter_allows(self):
        for alone, missed in ((1 / 199, False), (1 / 201, True)):
            out = io.StringIO()
            with mock.patch.object(BENCH, "measured", lambda *_, a=alone: (1 / 150, a, 3, 400)), \
                    mock.patch.object(BENCH, "rewriters", lambda *_: {"any": "folder"}), \
                    mock.patch.object(sys, "argv", ["rewriters"]), contextlib.redirect_stdout(out):
                self.assertEqual(BENCH.main(), 1 if missed else 0)
            self.assertEqual(out.getvalue().endswith("   MISS\n"), missed)

    def test_what_breaks_is_no_miss(self):
        for bench in (BENCH, commands.load("bench/fuzz-rates")):
            with self.assertRaises(SystemExit) as end, contextlib.redirect_stderr(io.StringIO()) as said:
                bench.run(["sh", "-c", "echo no library >&2; exit 3"])
            self.assertEqual(end.exception.code, 2)
            self.assertIn("no library", said.getvalue())


if __name__ == "__main__":
    unittest.main()
