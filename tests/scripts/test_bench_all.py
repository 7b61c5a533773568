#!/usr/bin/env python3
"""bench/bars.tsv can be read, every program of bench/ is in it, and bench/all makes the page of results alone."""

import argparse
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import commands  # noqa: E402
PROGRAM = os.path.join(ROOT, "bench", "all")
# Tables of papers, tools of other benches, and measurements that have no bar.
WITHOUT_BARS = {"all", "reproduce", "fuzz-exceptions", "cradle", "keras2", "keras-applications", "gpu", "versions",
                "special", "bindings.c", "operators.c", "rates.c", "mutants.c", "oracle.c", "trial.c",
                "real_build.py", "page_open.js", "known_bugs_runs.py"}

ROWS = """\
fuzz\tmade\tmaking one\t= making a model\tµs\t<= 100\t-\t1\tsh -c "cat lines; exit 1"
fuzz\trate\tthe slowest\t= rate\t/s\t>= 450\tanother | one\t1\tsh -c "cat lines; exit 1"
fuzz\tmisses\tmisses\t# MISSED$\t\t<= 0\t-\t1\tsh -c "cat lines; exit 1"
fuzz\tnowhere\tnot printed\tnot there: (\\d+)\t\t-\t-\t1\tsh -c "cat lines; exit 1"
swap\tbroken\ta program that fails\t(\\d+)\t\t-\t-\t1\tsh -c "echo 7; echo no library; exit 2"
swap\tdied\tcounted where a script died\t# MISSED$\t\t<= 0\t-\t1\tsh -c "echo head; echo no library; exit 1"
swap\tlong\ta long one\t([\\d,]+)\t\t-\t-\t300\tsh -c "echo run >>ran; echo 1,234"
"""
LINES = """\
  making a model                                   79.123 us   bar  100.000  ok
rate                                              700.000 /s   bar  450.000  ok
rate                                              300.500 /s   bar  450.000  MISSED
"""

BENCH = commands.load("bench/all")


class Table(unittest.TestCase):
    def test_every_program_has_a_row(self):
        rows = BENCH.read_table(os.path.join(ROOT, "bench", "bars.tsv"))
        used = " ".join(row["command"] for row in rows) + " "
        programs = {name for name in os.listdir(os.path.join(ROOT, "bench"))
                    if os.path.isfile(os.path.join(ROOT, "bench", name)) and not name.endswith((".tsv", ".jsonl"))}
        for name in programs - WITHOUT_BARS:
            said = f"build/bench_{name[:-2]} " if name.endswith(".c") else f"bench/{name} "
            self.assertIn(said, used, "no bar of it")
        self.assertLessEqual(WITHOUT_BARS, programs)
        for command in {row["command"] for row in rows}:
            words = re.split(r"[\s();]+", re.sub(r"^build/bench_(\S+)", r"bench/\1.c", command))
            own = [word for word in words if os.path.exists(os.path.join(ROOT, word))]
            self.assertEqual(own[:1], words[:1] if words[0] not in ("cat", "sh") else own[:1], command)
            self.assertTrue(own, command)

    def test_page_is_what_was_measured(self):
        done = subprocess.run([sys.executable, PROGRAM, "--check"], stdout=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_labels_are_printed(self):
        """`= LABEL` stands in the program, so that a label that is changed there is not lost here."""
        for row in BENCH.read_table(os.path.join(ROOT, "bench", "bars.tsv")):
            if row["figure"].startswith("= "):
                name = re.match(r"build/bench_(\w+)", row["command"]).group(1)
                with open(os.path.join(ROOT, "bench", name + ".c"), encoding="utf-8") as f:
                    text = f.read()
                label = re.sub(r"efficiency of \d+ jobs", "efficiency of %d jobs", row["figure"][2:])
                label = label.removesuffix(", processor")
                self.assertRegex(text, rf'"(  )?{re.escape(label)}"', row["name"])

    def test_bad_rows(self):
        for bad in ("fuzz\ta\tb\n", ROWS + ROWS, ROWS.replace("<= 100", "< 100"), ROWS.replace("<= 100", "<= x"),
                    ROWS.replace("(\\d+)", "(\\d+"), ROWS.replace("\t300\t", "\tlong\t")):
            with tempfile.NamedTemporaryFile("w", encoding="utf-8") as f:
                f.write(bad)
                f.flush()
                with self.assertRaises(BENCH.BadTable, msg=bad):
                    BENCH.read_table(f.name)


class Reproduce(unittest.TestCase):
    def test_a_program_that_breaks_has_no_figure(self):
        """Not even where it printed one before: rows of a table that were never made are missing in it."""
        with tempfile.TemporaryDirectory() as at:
            program = os.path.join(at, "breaks.py")
            with open(program, "w") as f:
                f.write("print('7 found', flush=True)\nraise OSError('no disk')\n")
            run = commands.load("bench/reproduce").run
            found, status, _ = run(f"{sys.executable} {program}", "assay", lambda text: text)
            self.assertEqual((found, status), ("no figure: OSError: no disk", 1))
            with open(program, "w") as f:
                f.write("print('7 found')\nraise SystemExit(1)\n")  # a bar that is missed
            self.assertEqual(run(f"{sys.executable} {program}", "assay", lambda text: text)[0], "7 found")
            self.assertEqual(run(os.path.join(at, "missing"), "assay", lambda text: text)[1], 127)

    def test_wrong_operators_of_the_paper(self):
        """The head is not one of them, and neither are those of the second table."""
        table = "0 of 9: Abs\ntables 2 and 3\n\n| operator | tf |\n|---|---|\n| add | **1** |\n| einsum | 0, **2** |\n"
        figure = commands.load("bench/reproduce").swap_wrong
        self.assertEqual(figure(table + "\nEvery operator\n\n| operator | tf |\n|---|---|\n| LRN | **3** |\n"),
                         "2 operators, wrong: add, einsum")
        self.assertIsNone(figure("nothing"))

    def test_findings_are_no_failure(self):
        """A command of assay itself runs in an empty folder; status 1 says that it found something."""
        with tempfile.TemporaryDirectory() as at:
            program = os.path.join(at, "assay")
            for status, expected in ((0, 0), (1, 0), (2, 2)):
                with open(program, "w") as f:
                    f.write(f"#!/bin/sh\nls | wc -l\nexit {status}\n")
                os.chmod(program, 0o755)
                found, got, _ = commands.load("bench/reproduce").run("assay fuzz", program, lambda text: text)
                self.assertEqual((found, got), ("0", expected))

    def test_sums_over_tables(self):
        program = commands.load("bench/reproduce")
        head = "| network | cases | inconsistent | NaN | crash | accepted | by chance | NaN | crash | a | b | c |\n"
        text = (head + "| lstm | 60 | 1 | 2 | 3 | 9 | 4 | 5 | 6 | 7 | 8 | 9 |\n"
                "| gru | 60 | 10 | 20 | 30 | 9 | 40 | 50 | 60 | 7 | 8 | 9 |\n"
                "\n| network | wrong answers | layers | map |\n|---|---|---|---|\n| gru | 24 | 1.00 | 1.83 |\n")
        self.assertEqual(program.levels(text), "11 of 120 inconsistent (by chance 44), NaN 22 (55), crash 33 (66)")
        text = "| lstm | 3 | 300 | – | – | 3 | 1 | 2 | 0 | 7 |\n| gru | 2 | 300 | 1 | 0 | 2 | 0 | 1 | 1 | 7 |\n"
        self.assertEqual(program.numbers(text),
                         "of 5 networks input 1 (by chance 0), weight 5 (by chance 1), both 3 (by chance 1)")
        text = ("| lenet5 | consistent | 16 | 1 | 1 | 1 | 1 | 3.06 | 0 | 9 |\n"
                "| | inconsistent | 22 | 2 | 2 | 2 | 2 | 2 | 20 | 0 |\n"
                "| gru | consistent | 4 | 1 | 1 | 1 | 1 | 1 | 1 | 3 |\n")
        self.assertEqual(program.rates(text), "consistent: 20, above t1 1, below t2 12; "
                                              "inconsistent: 22, above t1 20, below t2 0")
        for figure in (program.levels, program.numbers, program.era, program.rates, program.baselines, program.cradle,
                       program.rules):
            self.assertIsNone(figure("nothing\n"))

    def page_of_reproduce(self, head, column):
        """Commands in a column of that table of docs/reproduce.md which begins with `head`."""
        with open(os.path.join(ROOT, "docs", "reproduce.md"), encoding="utf-8") as f:
            table = f.read().partition(head)[2].partition("\n\n")[0]
        found = re.findall(r"^\| " + r"[^|]* \| " * column + r"`([^`]*)`", table, re.MULTILINE)
        return {re.sub(r" --jobs \w+$", "", command).replace("'", "") for command in found}

    def test_page_has_these_rows(self):
        """docs/reproduce.md has the commands that bench/reproduce runs, and no others but those that need hands."""
        page = self.page_of_reproduce("| paper, table | command |", 1)
        own = {row[2] for row in commands.load("bench/reproduce").ROWS}
        self.assertGreater(len(page), 25)
        self.assertEqual({command.split()[0] for command in page - own}, {"bench/keras2"})
        self.assertEqual(own - page, set())

    def test_rows_have_the_papers_figures(self):
        """They stand on the page alone; 'as above' is that row's figure, and rows of one command are joined."""
        program = commands.load("bench/reproduce")
        papers = program.of_papers()
        self.assertEqual([row[2] for row in program.ROWS if not papers.get(row[2])], [])
        self.assertEqual([figure for figure in papers.values() if "as above" in figure], [])
        self.assertRegex(papers["bench/cradle"], r"^104 \(361\).*; miss 35 of 340.*; T_C = 8")
        self.assertRegex(papers["bench/cradle --keras --backends ort --faults 0"], r"^104 \(361\)")
        result = {"date": "then", "load": 1, "commit": "0", "seconds": 2, "value": "a|b", "status": 0}
        row = {"paper": "A", "what": "counts", "command": "x"}
        self.assertEqual(program.line_of(row, result, False, "5"),
                         "| A | counts | `x` | then, load 1, 0 | 2 | 5 | a/b |")

    def test_page_says_which_rows_have_no_quick_version(self):
        said = self.page_of_reproduce("| command | why `--quick` leaves it out |", 0)
        self.assertEqual(said, {row[2] for row in commands.load("bench/reproduce").ROWS if row[3] is None})

    def test_runs_of_other_options_are_not_taken(self):
        """bench/cradle keeps what backends gave: with fewer items or other backends that is another run."""
        program = commands.load("bench/cradle")
        with tempfile.TemporaryDirectory() as at:
            options = argparse.Namespace(backends=["ort"], inputs=20, faults=3, at_once=100)
            self.assertFalse(program.has_run(options, at))
            with open(os.path.join(at, "check.json"), "w") as f:
                json.dump({"asked": program.asked(options)}, f)
            self.assertTrue(program.has_run(options, at))
            for name, value in (("inputs", 500), ("backends", ["ort", "torch"]), ("faults", 0)):
                self.assertFalse(program.has_run(argparse.Namespace(**{**vars(options), name: value}), at))

    def test_figures_are_kept(self):
        """The whole takes hours: a second call goes on where the first one ended."""
        with tempfile.TemporaryDirectory() as at:
            ran, results = os.path.join(at, "ran"), os.path.join(at, "results")
            program = commands.load("bench/reproduce")
            find = program.last(r"^\d+ found")
            program.ROWS = [("A", "counts", f"{sys.executable} {at}/counts.py", None, find),
                            ("B", "breaks", f"{sys.executable} {at}/breaks.py", None, find)]
            for name, last in (("counts", "print('7 found')"), ("breaks", "raise SystemExit(2)")):
                with open(os.path.join(at, name + ".py"), "w") as f:
                    f.write(f"open({ran!r}, 'a').write({name[0]!r})\n{last}\n")

            def call(*words):
                said = io.StringIO()
                with mock.patch("sys.argv", ["reproduce", "--results", results, *words]), \
                        contextlib.redirect_stdout(said):
                    status = program.main()
                with open(ran) as f:
                    return status, f.read(), said.getvalue()

            self.assertEqual(call("--only", "counts")[:2], (0, "c"))
            status, names, said = call()  # what broke is measured again, what has a figure is not
            self.assertEqual((status, names), (1, "cb"))
            self.assertRegex(said, r"\| A \| counts \| `.*counts.py` \| \d{4}-\d\d-\d\d .* \| – \| 7 found \|")
            self.assertEqual(call()[:2], (1, "cbb"))
            self.assertEqual(call("--again", "--only", "counts")[:2], (0, "cbbc"))
            program.ROWS[0] = ("A", "counts", program.ROWS[0][2] + " more", None, find)
            self.assertEqual(call("--only", "counts")[:2], (0, "cbbcc"), "another command is another figure")


class Measure(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("bars.tsv", ROWS.replace("lines", self.at("lines")).replace(">>ran", ">>" + self.at("ran")))
        self.write("lines", LINES)

    def at(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.at(name), "w", encoding="utf-8") as f:
            f.write(text)

    def read(self, name):
        with open(self.at(name), encoding="utf-8") as f:
            return f.read()

    def run_it(self, *words):
        return subprocess.run([sys.executable, PROGRAM, "--bars", self.at("bars.tsv"), "--results", self.at("results"),
                               "--page", self.at("page.md"), *words], stdout=subprocess.PIPE, text=True).returncode

    def cells(self, measured):
        line = next(line for line in self.read("page.md").splitlines() if line.startswith(f"| {measured} |"))
        return [c.strip() for c in line.split("|")]

    def test_page(self):
        self.assertEqual(self.run_it("--quick"), 1)
        self.assertEqual(self.cells("making one")[2:5], ["79.1 µs", "at most 100 µs", "holds"])
        self.assertEqual(self.cells("the slowest")[2:5], ["300 /s", "at least 450 /s", "**missed**"])
        self.assertEqual(self.cells("misses")[2:5], ["1", "at most 0", "**missed**"])
        self.assertIn("could not be measured: exit status 1", self.cells("not printed")[2])
        self.assertIn("exit status 2: no library", self.cells("a program that fails")[2])
        self.assertIn("exit status 1: no library", self.cells("counted where a script died")[2])
        self.assertEqual(self.cells("a long one")[2], "not measured: some 300 min")
        self.assertIn("3 of 7 rows are measured; 3 of these have a bar, which holds for 1.", self.read("page.md"))

    def test_goes_on(self):
        self.assertEqual(self.run_it("--only", "long"), 0)
        self.assertEqual(self.run_it("--only", "long"), 0)  # this commit has it
        self.assertEqual(self.read("ran"), "run\n")
        self.assertEqual(self.run_it("--only", "long", "--again"), 0)
        self.assertEqual(self.read("ran"), "run\nrun\n")
        self.assertEqual(self.cells("a long one")[2], "1,234")
        self.assertEqual(len(self.read("results").splitlines()), 1)
        self.assertEqual(set(json.loads(self.read("results"))), {"name", "value", "why", "command", "figure", "date",
                                                                 "commit", "machine", "load", "seconds"})

    def test_log(self):
        self.write("log", "999\n")
        self.assertEqual(self.run_it("--only", "long", "--log", self.at("log")), 0)
        self.assertFalse(os.path.exists(self.at("ran")))
        self.assertEqual((self.cells("a long one")[2], self.cells("a long one")[8]), ("999", "not known"))
        self.assertEqual(self.run_it("--only", "fuzz", "--log", self.at("none")), 2)
        self.assertEqual(self.run_it("--log", self.at("log")), 2)  # of which command?

    def test_log_of_another_machine(self):
        self.write("log", "machine: 16 cores of another\ncommit: 0123456789\nload: 7.25\ndate: 2026-01-02 03:04\n"
                   "command: the same --jobs 13\n\nmachine: not this\n999\n")
        self.assertEqual(self.run_it("--only", "long", "--log", self.at("log")), 0)
        self.assertEqual(self.cells("a long one")[6:11], ["2026-01-02 03:04", "1", "7.2", "0123456789",
                                                          "`the same --jobs 13`"])
        self.assertIn("1. 16 cores of another\n", self.read("page.md"))
        with mock.patch("os.getloadavg", return_value=(3, 2, 1)):
            self.write("log", BENCH.here("echo 5") + "\n5\n")
        output, said = BENCH.read_log(self.at("log"))
        self.assertEqual((output.strip(), said["machine"], said["load"]), ("5", BENCH.machine(), "3.0"))

    def test_a_changed_row_is_not_measured(self):
        self.run_it("--only", "long")
        self.write("bars.tsv", self.read("bars.tsv").replace("echo 1,234", "echo 1,235"))
        self.assertEqual(self.run_it("--write"), 0)
        self.assertEqual(self.cells("a long one")[2], "not measured: some 300 min")
        self.assertEqual(self.run_it("--check"), 0)
        self.write("page.md", self.read("page.md").replace("300 min", "3 min"))
        self.assertEqual(self.run_it("--check"), 1)
        self.assertIn("3 min", self.read("page.md"))

    def test_bad_table(self):
        self.write("bars.tsv", "x\n")
        self.assertEqual(self.run_it("--write"), 2)


if __name__ == "__main__":
    unittest.main()
