#!/usr/bin/env python3
"""data/known-bugs.tsv has the form that its head tells, and bench/known-bugs refuses a row of another form.

No library is needed: bench/known-bugs runs them.
"""

import argparse
import contextlib
import io
import os
import re
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import commands  # noqa: E402
GOOD = "X1\tort\t1.15.1-1.20.1\twrong nan\tErf\tErf\\(\t2\thttps://github.com/a/b/issues/1\twhat is wrong\trun 1.17.3"

BENCH = commands.load("bench/known-bugs")
RUNS = BENCH.known_bugs_runs
RUN = {"date": "2026-11-17", "library": "ort", "version": "1.20.1", "method": "fuzz --invalid", "minutes": 1.5,
       "jobs": 1, "rows": 27, "ids": {"K07", "K03"}, "elsewhere": set()}


def run_on(**keys):
    words = {**RUN, "rows": "4", "found": "2", "ids": "K01 K03", "minutes": "7.5", **keys}
    return {key: str(value) for key, value in words.items()}


class Recorded(unittest.TestCase):
    def test_the_best_day_of_the_version_with_most_rows(self):
        runs = [run_on(), run_on(method="equiv", ids="K03 K05"), run_on(date="2026-11-18", found="1", ids="K01"),
                run_on(version="1.8.1", rows="2"), run_on(library="mnn", found="3", ids="?"),
                run_on(library="mnn", rows="0", found="0", ids="-", version="9")]
        self.assertEqual(RUNS.shares(runs), [("mnn", "1.20.1", 4, 3, 7.5), ("ort", "1.20.1", 4, 3, 15)])


def with_column(key, text):
    fields = GOOD.split("\t")
    fields[BENCH.KEYS.index(key)] = text
    return "\t".join(fields)


class KnownBugs(unittest.TestCase):
    def test_every_row(self):
        rows = BENCH.read_rows(BENCH.ROWS)
        self.assertGreaterEqual(len(rows), 156)
        for row in rows:
            with self.subTest(row["id"]):
                self.assertRegex(row["id"], r"^[A-Z]\d{2,3}$")
                self.assertIn(row["backend"], [*BENCH.METHODS, "cntk", "pytensor"])
                self.assertFalse(row["what"].endswith("."))
                if row["backend"] in ("tf", "torch", "mxnet", "tfapi", "torchapi"):
                    self.assertNotIn(" ", row["ops"], "one name")

    def test_eagles_bugs_one_by_one(self):
        """The data says of each of the 24 whether equiv finds it, as docs/eagle-bugs.md does."""
        told = {}
        for row in BENCH.read_rows(BENCH.ROWS):
            match = re.search(r"\(EAGLE (\d+)[,;].*?\b(not found|found by equiv)\b", row["what"])
            if match:
                told[int(match.group(1))] = match.group(2) == "found by equiv"
        self.assertEqual(sorted(told), list(range(1, 25)))
        with open(os.path.join(ROOT, "docs", "eagle-bugs.md"), encoding="utf-8") as f:
            page = dict(re.findall(r"^\| (\d+) \|.*\| ([^|]*) \|$", f.read(), re.MULTILINE))
        self.assertEqual({int(at): "**found**" in cell for at, cell in page.items()}, told)

    def test_one_finding_is_of_one_row(self):
        """Of one version, no two rows have the same verdict, operators and pattern: one finding would count twice."""
        rows = [row for row in BENCH.read_rows(BENCH.ROWS) if row["backend"] in BENCH.METHODS]
        for at, row in enumerate(rows):
            for other in rows[:at]:
                keys = ("backend", "ops", "pattern")
                alike = all(row[key] == other[key] for key in keys) and \
                    set(row["verdicts"].split()) & set(other["verdicts"].split())
                ends = [end for end in row["versions"].split("-") + other["versions"].split("-") if end]
                both = [v for v in ends if BENCH.covers(row["versions"], v) and BENCH.covers(other["versions"], v)]
                self.assertFalse(alike and both, f"{row['id']} and {other['id']} on {both}")

    def test_a_batch_is_that_of_the_input(self):
        """Not a size of the weights, which is 1 or several, too."""
        rows = [row for row in BENCH.read_rows(BENCH.ROWS) if row["id"] in ("E25", "E26")]
        for batch, wanted in (1, ["E25"]), (5, ["E26"]), (15, ["E26"]):
            lines = [f"x: float32[2,{batch},1]", "w: constant float32[1,6,1]", "w2: constant float32[1,1,2]",
                     "t, y = GRU(x, w, w2) hidden_size=2"]
            finding = {"verdict": "wrong", "nodes": 1}
            self.assertEqual([row["id"] for row in rows if BENCH.is_of(row, finding, lines)], wanted)

    def test_cases_of_operators(self):
        """`ops --judge` is asked for one operator by all its lines, and its answers are findings of one node."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.case")
            with open(path, "w", encoding="utf-8") as f:
                f.write("# comment\n\nai.onnx.ml:Scaler-1 f32[2]\nErf-13 f32[2]\nErf-9 f64[2]\n")
            lines = BENCH.cases_by_operator([path])
        self.assertEqual(lines, {"ai.onnx.ml:Scaler": ["ai.onnx.ml:Scaler-1 f32[2]\n"],
                                 "Erf": ["Erf-13 f32[2]\n", "Erf-9 f64[2]\n"]})
        wrong = {"verdict": "wrong", "case": "Erf-13 f32[2] mode=1"}
        table = {"operators": [{"backends": {"ort": {"float32": wrong, "float64": {"verdict": None, "case": None},
                                                     "float16": {"verdict": "unsupported", "case": "Erf-13 f16[2]"}}}}]}
        found = list(BENCH.judged_findings(table))
        self.assertEqual(found, [({"verdict": "wrong", "nodes": 1, "case": wrong["case"]}, ["y = Erf(f32[2] mode=1)"])])
        self.assertTrue(BENCH.is_of(BENCH.row_of(GOOD), *found[0]))

    def test_a_pattern_spans_lines(self):
        """Two equal nodes, two nodes of one operator: one line does not tell them."""
        rows = {row["id"]: row for row in BENCH.read_rows(BENCH.ROWS)}
        refused, wrong = {"verdict": "rejected", "nodes": 3}, {"verdict": "wrong", "nodes": 2}
        twins = ["x: float32[1,1]", "t = IsNaN(x)", "y = Where(t, w, x)", "y2 = IsNaN(x)"]
        self.assertTrue(BENCH.is_of(rows["S05"], refused, twins))
        self.assertFalse(BENCH.is_of(rows["S05"], refused, twins[:3]))
        self.assertFalse(BENCH.is_of(rows["S05"], refused, twins[:3] + ["y2 = IsNaN(w)"]))
        squeezes = ["t = Squeeze(x, w)", "y = Squeeze(t, w2)"]
        self.assertTrue(BENCH.is_of(rows["R03"], wrong, squeezes))
        self.assertFalse(BENCH.is_of(rows["R03"], wrong, squeezes[:1]))
        casts = ["x: float32[2]", "t = Cast(x, to=6)", "y = Cast(t, to=9)"]
        for name in ("K09", "K37"):  # of two casts, one behind the other
            self.assertTrue(BENCH.is_of(rows[name], wrong, casts))
            self.assertFalse(BENCH.is_of(rows[name], wrong, [casts[0], "y = Cast(x, to=9)"]))
            self.assertFalse(BENCH.is_of(rows[name], wrong, casts[:2] + ["y = Cast(x, to=9)"]))
        self.assertTrue(BENCH.is_of(rows["V13"], wrong, ["x: int64[1]", "y = Clip(x)"]))  # it clips the int64
        self.assertFalse(BENCH.is_of(rows["V13"], wrong, ["x: int64[1]", "t = Cast(x, to=1)", "y = Clip(t)"]))
        ones = ["x: float32[1]", "w: constant float32[3]{1,1,1}", "w2: constant float32[]{0}"]
        self.assertTrue(BENCH.is_of(rows["S11"], wrong, ones + ["y = Mul(x, w)"]))
        self.assertFalse(BENCH.is_of(rows["S11"], wrong, ones + ["y = Mul(x, w2)"]))

    def test_the_blamed_operator_is_of_the_case(self):
        """Of 32 nodes `findings show` lists 24, and the one that is blamed may not be among them."""
        row = next(row for row in BENCH.read_rows(BENCH.ROWS) if row["id"] == "E28")
        finding, shown = {"verdict": "rejected", "nodes": 32}, ["x: float32[1]", "y = Add(x, x)", "… 32 nodes in all"]
        self.assertFalse(BENCH.is_of(row, finding, shown))
        self.assertTrue(BENCH.is_of(row, {**finding, "op": "Sum"}, shown))
        self.assertFalse(BENCH.is_of(row, {**finding, "op": "Add"}, shown))

    def test_one_offset_is_another_fault(self):
        """PyTorch 2.15.0 crashes there (issue 190044), which is no sign of the bug of 1.13.1."""
        row = next(row for row in BENCH.read_rows(BENCH.ROWS) if row["id"] == "P07")
        call = "aten::embedding_bag.padding_idx(weight=t0, indices=t1, offsets=t2, mode=2, include_last_offset=true)"
        finding = {"verdict": "crash", "api": "aten::embedding_bag.padding_idx", "a": call, "b": call, "detail": ""}
        for offsets, wanted in (("[1], [0]", False), ("[2], [0, 2]", True), ("[11], [0, 6]", True)):
            tensors = ['array("float32", [3,1], [0, 1, 2]),', 'array("int64", [3], [2, 2, 2]),',
                       f'array("int64", {offsets})]']
            self.assertEqual(bool(BENCH.is_call_of(row, finding, tensors)), wanted, offsets)

    def test_head_names_the_columns(self):
        with open(BENCH.ROWS, encoding="utf-8") as f:
            head = " ".join(line.lstrip("# ").strip() for line in f if line.startswith("#"))
        for words in ("id, backend, versions", "verdicts", "operators", "pattern", "most nodes", "where it is told",
                      "what is wrong", '"run VERSION"'):
            self.assertIn(words, head)

    def test_a_good_row(self):
        self.assertEqual(BENCH.row_of(GOOD)["seen"], "run 1.17.3")

    def test_rows_of_another_form_are_refused(self):
        bad = [GOOD + "\tmore", GOOD.rpartition("\t")[0], with_column("what", ""), with_column("id", " X1"),
               with_column("versions", "1.20.1"), with_column("versions", "1.20.1-1.15.1"),
               with_column("versions", "1.x-2"),
               with_column("verdicts", "odd"), with_column("ops", "Erf("), with_column("pattern", "[a"),
               with_column("nodes", "0"), with_column("nodes", "many"), with_column("link", "issue 1"),
               with_column("link", "https://github.com/a/b/issues/"), with_column("seen", "yes"),
               with_column("seen", "run 1.20.2"), with_column("seen", "run")]
        for line in bad:
            with self.subTest(line), self.assertRaises((ValueError, re.error)):
                BENCH.row_of(line)

    def test_an_id_is_given_once(self):
        with tempfile.NamedTemporaryFile("w", suffix=".tsv", encoding="utf-8") as f:
            f.write(f"# head\n{GOOD}\n{GOOD}\n")
            f.flush()
            with self.assertRaisesRegex(ValueError, "the id X1"):
                BENCH.read_rows(f.name)

    def test_order_of_versions(self):
        self.assertTrue(BENCH.covers("0.26.0-0.27.0.post1", "0.27.0"))
        self.assertFalse(BENCH.covers("-0.27.0", "0.27.0.post1"))
        with self.assertRaises(ValueError):
            BENCH.number("1.x")

    def test_the_version_with_most_rows(self):
        ranges = ("1.15.1-1.20.1", "1.17.3-1.20.1", "1.20.1-1.21.1")
        rows = [{"backend": "ort", "versions": versions} for versions in ranges]
        self.assertEqual(BENCH.version_of(rows, "ort", [], ["1.8.1", "1.20.1"]), "1.20.1")
        self.assertEqual(BENCH.version_of(rows[:2], "ort", ["1.19.2"]), "1.19.2")
        self.assertEqual(BENCH.version_of(rows, "jax", ["0.10.2"]), "0.10.2")
        self.assertIsNone(BENCH.version_of(rows, "jax", []))

    def test_the_good_version(self):
        rows = [{"backend": "ort", "versions": versions} for versions in ("1.15.1-1.20.1", "1.20.1-1.24.4")]
        self.assertEqual(BENCH.good_version(rows, "ort", ["1.19.2", "1.31.1", "1.20.1", "1.30.0"]), "1.31.1")
        self.assertIsNone(BENCH.good_version(rows, "ort", []))


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "runs.tsv")

    def test_the_file_and_its_page(self):
        runs = RUNS.read_runs()
        self.assertGreaterEqual(len(runs), 12, "lines are only ever added")
        known = {row["id"]: row["backend"] for row in BENCH.read_rows(BENCH.ROWS)}
        for run in runs:
            for name in RUNS.ids_of(run) + RUNS.ids_of(run, "elsewhere"):
                self.assertEqual(known.get(name), run["library"], name)
        with open(RUNS.PAGE, encoding="utf-8") as f:
            self.assertEqual(f.read(), RUNS.page_of(runs), "bench/known-bugs table writes it anew")

    def test_a_run_is_added_and_none_is_lost(self):
        RUNS.add_run(self.path, **RUN)
        RUNS.add_run(self.path, **{**RUN, "ids": {"K11"}})
        runs = RUNS.read_runs(self.path)
        self.assertEqual([run["ids"] for run in runs], ["K03 K07", "K11"])
        self.assertIn("| ort | 1.20.1 | 27 | 0.05 | 2 | 3 | K03 K07 K11 |", RUNS.page_of(runs))
        self.assertIn("| ort | 1.20.1 | fuzz --invalid | 3 | K03 K07 K11 |", RUNS.page_of(runs))

    def test_what_a_run_got_of_the_processor(self):
        """Lines from before it was written down are read, too."""
        RUNS.add_run(self.path, **RUN)
        RUNS.add_run(self.path, **RUN, processor=1.26, load=30.04)
        with open(self.path, "a", encoding="utf-8") as f:
            f.write("2026-11-18\tort\t1.20.1\tfuzz\t9\t1\t27\t1\tK03\t-\n")
        runs = RUNS.read_runs(self.path)
        self.assertEqual([(run["processor"], run["load"]) for run in runs], [("?", "?"), ("1.3", "30.0"), ("?", "?")])
        self.assertIn("| K03 K07 | - | 1.3 | 30.0 |\n", RUNS.page_of(runs))
        with self.assertRaises(ValueError):
            RUNS.add_run(self.path, **{**RUN, "processor": -1.0})

    def test_the_processor_is_counted_by_method(self):
        options = argparse.Namespace(runs=self.path, jobs=1)
        bench = BENCH.Bench(options)
        bench.installed, used = lambda _: ["1.31.1"], [60.0, 150.0]
        with mock.patch.object(BENCH, "processor_seconds", lambda: used.pop(0)):
            bench.install("ort", "1.31.1")
            bench.record("ort", "1.31.1", ["fuzz"], 1, [], {}, set())
        self.assertEqual(RUNS.read_runs(self.path)[0]["processor"], "1.5")

    def test_a_version_without_rows_stands_among_the_good_ones(self):
        RUNS.add_run(self.path, **{**RUN, "rows": 0, "ids": set(), "elsewhere": {"K01"}})
        self.assertIn("## Good versions", RUNS.page_of(RUNS.read_runs(self.path)))
        self.assertIn("| 0 | fuzz --invalid | 1.5 | K01 |", RUNS.page_of(RUNS.read_runs(self.path)))

    def test_the_version_with_the_fewest_rows_is_the_good_one(self):
        for version, rows in (("1.20.1", 27), ("1.31.1", 2), ("1.9.0", 2)):
            RUNS.add_run(self.path, **{**RUN, "version": version, "rows": rows, "ids": set(), "elsewhere": {"K01"}})
        runs = RUNS.read_runs(self.path)
        self.assertEqual([run["version"] for run in RUNS.good_runs(runs)], ["1.31.1"])
        self.assertIn("| 1.31.1 | 2 | fuzz --invalid | 1.5 | K01 |", RUNS.page_of(runs))
        self.assertEqual(RUNS.good_runs(runs[:1]), [])  # of one version with rows nothing can be said

    def test_a_bad_run_is_refused_and_not_written(self):
        bad = [{"date": "today"}, {"rows": 1}, {"jobs": "many"}, {"ids": {"odd"}}, {"elsewhere": {"k1"}},
               {"method": ""}]
        for change in bad:
            with self.subTest(change), self.assertRaises(ValueError):
                RUNS.add_run(self.path, **{**RUN, **change})
        self.assertFalse(os.path.exists(self.path))

    def test_a_finding_of_another_version_is_counted(self):
        options = argparse.Namespace(runs=self.path, jobs=1)
        bench = BENCH.Bench(options)
        bench.record("ort", "1.31.1", ["fuzz"], 1, [], {}, {"K07"})
        self.assertEqual((bench.elsewhere, RUNS.read_runs(self.path)[0]["elsewhere"]), (1, "K07"))

    def test_a_library_that_cannot_fail_is_not_ok(self):
        bench, said = BENCH.Bench(argparse.Namespace(runs=self.path, jobs=1)), io.StringIO()
        bench.one = lambda *_: self.fail("there is nothing to look for")
        bench.installed = lambda backend: [] if backend == "ort" else ["9999.0"]
        without = [b for b in BENCH.METHODS if not any(r["backend"] == b for r in BENCH.read_rows(BENCH.ROWS))]
        with contextlib.redirect_stdout(said):
            for backend in ["ort", *without]:
                bench.good(backend, 1)
        self.assertEqual(said.getvalue().splitlines(),
                         ["  -    ort: not installed",
                          *(f"  -    {backend} 9999.0: no rows: cannot fail" for backend in without)])
        self.assertTrue(without)


if __name__ == "__main__":
    unittest.main()
