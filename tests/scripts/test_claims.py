#!/usr/bin/env python3
"""Claims under findings/ are whole: keys, a document that makes the claim, environments, and scripts that compile.

No library is needed: bench/claims runs them.
"""

import ast
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import commands  # noqa: E402
KEYS = ("title", "library", "shows", "class", "condition", "rule", "documented", "tracker")
CLASSES = ("bug", "difference", "precision", "limit")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def headings_of(document):
    """Headings, without the command in brackets that some end with."""
    return set(re.findall(r"^#+ (.+?)(?: \(`.*`\))?\s*$", read(document), re.M))


def operators_of(library):
    """Operators that data/quirks.tsv has a row of, for this library."""
    rows = [line.split("\t") for line in read("data/quirks.tsv").splitlines() if line and not line.startswith("#")]
    return {row[2].split(" ")[0] for row in rows if row[0] == library}


def called_names(path):
    calls = [n.func for n in ast.walk(ast.parse(read(path))) if isinstance(n, ast.Call)]
    return {f.id for f in calls if isinstance(f, ast.Name)}


class Claims(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.command = commands.load("bench/claims")
        cls.claims = cls.command.claims_of([], "*")
        cls.rows = cls.command.rows_of(os.path.join(ROOT, "findings", "environments.tsv"))

    def test_there_are_claims(self):
        self.assertGreater(len(self.claims), 150)

    def test_pages(self):
        script = os.path.join(ROOT, "scripts", "make-findings")
        done = subprocess.run([sys.executable, script, "--check"], stdout=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_keys(self):
        for claim in self.claims:
            with self.subTest(claim=claim.path):
                self.assertEqual([k for k in KEYS if not claim.keys.get(k)], [])
                self.assertEqual(set(claim.keys) - set(KEYS) - {"since", "until", "found", "compiler"}, set())
                self.assertIn(claim.keys["class"], CLASSES)
                self.assertRegex(claim.keys["tracker"], r"^(https://\S+|none found|not searched)")

    def test_document_has_the_place(self):
        for claim in self.claims:
            with self.subTest(claim=claim.path):
                for place in claim.keys["documented"].split("; "):
                    document, _, where = place.partition(", ")
                    if document == "data/quirks.tsv":
                        self.assertIn(where, operators_of(claim.library))
                    else:
                        self.assertIn(where, headings_of(document))

    def test_environments(self):
        for claim in self.claims:
            with self.subTest(claim=claim.path):
                self.assertEqual([v for v in claim.versions if (claim.library, v) not in self.rows], [])

    def test_no_environment_is_left_over(self):
        self.assertEqual({library for library, _ in self.rows} - {c.library for c in self.claims}, set())

    def results(self):
        """(claim, version, status) of what was run with the scripts as they are."""
        known = {(claim.library, claim.name): (claim, claim.digest()) for claim in self.claims}
        for (library, name, version), (status, digest) in self.command.results_of(self.command.RESULTS).items():
            claim, now = known.get((library, name), (None, None))
            if digest == now:
                yield claim, version, status

    def test_measured_versions(self):
        statuses = set(self.command.STATUS.values()) | {"could not run"}
        for claim, version, status in self.results():
            with self.subTest(claim=claim.path, version=version):
                self.assertIn((claim.library, version), self.rows)
                self.assertIn(status, statuses)
                if version in claim.versions:
                    self.assertEqual(status, "shows")

    def test_since_and_until_are_not_against_what_was_measured(self):
        def number(text):
            return [int(n) for n in re.findall(r"\d+", text.split()[0])]

        for claim, version, status in self.results():
            with self.subTest(claim=claim.path, version=version):
                if status == "shows" and "since" in claim.keys:
                    self.assertGreaterEqual(number(version), number(claim.keys["since"]))
                if status == "shows" and "until" in claim.keys:
                    self.assertLessEqual(number(version), number(claim.keys["until"]))

    def test_since_and_until_were_run(self):
        results = self.command.results_of(self.command.RESULTS)
        for claim in self.claims:
            ran = {v for v, status in self.command.measured(claim, results).items() if status == "shows"}
            for key in {"since", "until"} & set(claim.keys):
                with self.subTest(claim=claim.path, key=key):
                    self.assertIn(claim.keys[key].split()[0].rstrip(",;"), ran)

    def test_pages_count_the_findings_of_keras(self):
        """Sentences beside the generated pages; a name that ends in an array library is of that one."""
        found = [c for c in self.claims if c.library == "keras"]
        count = {kind: sum(c.keys["class"] == kind for c in found) for kind in CLASSES}
        bugs = [c.name for c in found if c.keys["class"] == "bug"]
        below = [sum(n.endswith("-" + a) for n in bugs) for a in ("torch", "numpy", "openvino", "tensorflow", "jax")]
        said = (f"[{len(found)} findings](findings/keras/README.md)", f"{count['bug']} bugs, {count['precision']} lost "
                f"precision and {count['difference']} differences, each with")
        each = "; {} of the bugs show with PyTorch below Keras, {} with NumPy, {} with OpenVINO, {} with TensorFlow, " \
               "{} with JAX, {} with any ".format(*below, len(bugs) - sum(below))
        for page, sentences in (("docs/backends.md", said), ("docs/reproduce.md", (*said, each))):
            text = " ".join(read(page).split())
            for sentence in sentences:
                with self.subTest(page=page):
                    self.assertIn(sentence.strip(), text)

    def test_every_finding_has_a_page(self):
        for claim in self.claims:
            page = read(f"docs/findings/{claim.library}/{claim.name}.md")
            with self.subTest(claim=claim.path):
                self.assertEqual(re.findall(r"^## (.*)", page, re.M)[-5:], [
                    "When it shows", "Why it is wrong", "Minimal case", "Versions affected", "Reproduce"])
                self.assertIn(claim.code().strip(), page)
                self.assertIn(claim.keys["rule"], page)

    def test_a_page_says_only_what_was_run(self):
        """A release stands under "shown by" with a result, or where bench/claims runs it: in the script's head."""
        ran = {claim.path: {version: "shows" for version in claim.versions} for claim in self.claims}
        for claim, version, status in self.results():
            ran[claim.path][version] = status
        for claim in self.claims:
            page = read(f"docs/findings/{claim.library}/{claim.name}.md")
            shown = re.search(r"^## Versions affected\n\nShown by ([^;\n]*?)[;.](?=\s)", page, re.M)
            wanted = [version for version, status in ran[claim.path].items() if status == "shows"]
            with self.subTest(claim=claim.path):
                self.assertEqual(sorted(shown.group(1).split(", ") if shown else []), sorted(wanted))

    def test_scripts_compile_and_judge(self):
        for claim in self.claims:
            with self.subTest(claim=claim.path):
                compile(read(claim.path), claim.path, "exec")
                self.assertLessEqual({"wrong", "verdict"}, called_names(claim.path))

    def test_compilers_are_called(self):
        """A claim names the compiler that its faults go through; one that has no other faults does not leave it out."""
        words = {"Grappler": {"graph"}, "XLA": {"xla", "jit"}, "torch.compile": {"compile"}}
        pages, every = commands.load("scripts/make-findings"), set().union(*words.values())
        for claim in self.claims:
            source = pages.Source(claim.path)
            faults = [source.words(call) for call in source.faults]
            with self.subTest(claim=claim.path):
                for name in claim.compilers():
                    self.assertTrue(any(words[name] & fault for fault in faults), name)
                if claim.library in ("tf", "torch") and all(every & fault for fault in faults):
                    self.assertTrue(claim.compilers())

    def test_page_counts_the_findings_in_compilers(self):
        """The rows of a table of docs/methods/equiv.md name claims of that compiler."""
        table = read("docs/methods/equiv.md").partition("#### What equiv of kernels alone could not reach")[2]
        rows = re.findall(r"^\| (?:compilers: )?`?([\w.]+)`? \| (`.*) \| (\d+) \|$", table.partition("### ")[0], re.M)
        of = {c.name: c.compilers() for c in self.claims}
        self.assertLessEqual({"XLA", "Grappler", "torch.compile"}, {row[0] for row in rows})
        for where, names, count in rows:
            own = re.findall(r"`([\w-]+)`", names)
            self.assertEqual(len(own), int(count), where)
            if where in ("XLA", "Grappler", "torch.compile"):
                self.assertEqual([name for name in own if where not in of[name]], [])

    def test_nothing_of_assay_is_used(self):
        for folder, _, names in os.walk(os.path.join(ROOT, "findings")):
            for name in (n for n in names if n.endswith(".py")):
                imported = re.findall(r"^\s*(?:from|import) (\w+)", read(os.path.join(folder, name)), re.M)
                self.assertFalse({n for n in imported if "assay" in n or "worker" in n}, name)


COMMON = """
import os, sys, time
sys.path.insert(0, {findings!r})
import common
assert not [p for p in sys.path if os.path.abspath(p) == {findings!r}], sys.path

def slow():
    time.sleep(0.3)
    return 1

class Never:
    def __init__(self, pid, seconds):
        self.pause = 0.01

    def over(self):
        return False

class AtOnce(Never):
    def over(self):
        return True

common.Limit = AtOnce
print(common.outcome(slow))
common.Limit = Never
print(common.outcome(slow))
"""


class Common(unittest.TestCase):
    """findings/common.py, with a NumPy that has just enough of it."""

    def test_paths_and_who_decides_about_a_hang(self):
        findings = os.path.join(ROOT, "findings")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "numpy.py"), "w", encoding="utf-8") as f:
                f.write("float32 = float\n\n\ndef asarray(v):\n    return v\n")
            done = subprocess.run([sys.executable, "-B", "-c", COMMON.format(findings=findings)], text=True,
                                  stdout=subprocess.PIPE, env=dict(os.environ, PYTHONPATH=folder))
        self.assertEqual((done.returncode, done.stdout), (0, "no answer in time\n[1]\n"))


if __name__ == "__main__":
    unittest.main()
