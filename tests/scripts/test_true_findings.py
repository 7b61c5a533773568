#!/usr/bin/env python3
"""bench/true-findings counts what is recorded: data/looked-at.tsv has the form that its head tells."""

import contextlib
import io
import os
import re
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import commands  # noqa: E402

BENCH = commands.load("bench/true-findings")
GOOD = "2026-11-17\tort\t1.31.1\tfuzz\t12\t11\tdocs/methods/fuzz.md, run 4"


class Claim:
    """As bench/claims has it."""

    def __init__(self, **keys):
        self.library, self.name, self.keys = "tf", "sum", {"class": "bug", **keys}

    def digest(self):
        return "now"

    def compilers(self):
        return self.keys.get("compiler", "").split()


def counted(results, effects=("wrong",), **keys):
    """Of a claim with these results of its releases; 2.21.0 is the newest."""
    rows = {("tf", "sum", version): result for version, result in results.items()}
    return BENCH.Counted(Claim(**keys), rows, "2.21.0", "equiv", effects)


class TrueFindings(unittest.TestCase):
    def test_newest_is_the_newest_there_is(self):
        """Not the newest of those that it was run on."""
        old, both = {"2.9.0": ("shows", "now")}, {"2.9.0": ("shows", "now"), "2.21.0": ("shows", "now")}
        right, other = {**old, "2.21.0": ("does not show", "now")}, {**old, "2.21.0": ("shows", "before")}
        for results, wanted in ((old, (True, False, False)), (both, (True, True, True)), (right, (True, False, True)),
                                (other, (True, False, False)), ({}, (False, False, False))):
            c = counted(results)
            self.assertEqual((c.is_true, c.on_newest, c.was_run_on_newest), wanted, results)
        self.assertEqual(BENCH.newest_releases([("tf", "2.9.1"), ("tf", "2.21.0"), ("mnn", "3.6.1"), ("tf", "2.18.1")]),
                         {"tf": "2.21.0", "mnn": "3.6.1"})

    def test_compilers_are_those_of_the_key(self):
        self.assertEqual(counted({}, title="Compiled by XLA it is right.").compilers, [])
        self.assertEqual(counted({}, compiler="XLA").compilers, ["XLA"])
        self.assertFalse(counted({}, ("crash",)).is_wrong)

    def test_every_row(self):
        rows = BENCH.read_looked_at()
        self.assertEqual(len(rows), len({(r["library"], r["version"], r["told"]) for r in rows}))
        for row in rows:
            page = row["told"].split(",")[0]
            self.assertTrue(os.path.exists(os.path.join(ROOT, page)), page)

    def test_the_pages_say_the_same(self):
        """Runs 4 to 8 of docs/methods/fuzz.md, whose text has their sum."""
        own = [r for r in BENCH.read_looked_at() if re.search(r"fuzz\.md, run [4-8]$", r["told"])]
        text = f"Runs 4 to 8 have {sum(r['true'] for r in own)} of {sum(r['reported'] for r in own)} "
        with open(os.path.join(ROOT, "docs", "methods", "fuzz.md"), encoding="utf-8") as f:
            self.assertIn(text, f.read())

    def test_bad_rows_are_refused(self):
        self.assertEqual(BENCH.row_of(GOOD)["true"], 11)
        for bad in (GOOD.replace("\t11\t", "\t13\t"), GOOD.replace("\t12\t", "\tmany\t"), GOOD + "\tx",
                    GOOD.replace("2026-11-17", "yesterday"), GOOD.replace("ort", "")):
            with self.subTest(bad), self.assertRaises(ValueError):
                BENCH.row_of(bad)

    def test_newest_runs(self):
        rows = [{"library": "ort", "day": "2026-11-18", "true": 1}, {"library": "rten", "day": "2026-11-17", "true": 2},
                {"library": "ort", "day": "2026-11-18", "true": 3}, {"library": "ort", "day": "2026-11-17", "true": 4}]
        self.assertEqual([r["true"] for r in BENCH.newest_runs(rows)], [3, 2])

    def test_shares(self):
        rows = [{"reported": 3, "true": 2}, {"reported": 1, "true": 1}]
        with contextlib.redirect_stdout(io.StringIO()) as said:
            BENCH.share("all", rows)
            BENCH.share("none", [])
        self.assertEqual(said.getvalue(), "all: 3 of 4 true, 75.0 %\n")


if __name__ == "__main__":
    unittest.main()
