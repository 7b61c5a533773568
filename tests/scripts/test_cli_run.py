"""The runner of tests/cli must notice what it is there to notice."""

import os
import subprocess
import sys
import tempfile
import unittest

RUN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli", "run")


def outcome(text, limit="60"):
    """Exit status and output of the runner on one case file."""
    with tempfile.TemporaryDirectory() as folder:
        case = os.path.join(folder, "case.t")
        with open(case, "w", encoding="utf-8") as f:
            f.write(text)
        done = subprocess.run([sys.executable, RUN, "--assay", "/bin/true", "--timeout", limit, case],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


class Accepts(unittest.TestCase):
    def check(self, text):
        self.assertEqual(outcome(text)[0], 0, outcome(text)[1])

    def test_plain_output(self):
        self.check("$ printf 'a\\nb\\n'\na\nb\n")

    def test_wildcard_in_line(self):
        self.check("$ echo took 12 ms\ntook ... ms\n")

    def test_wildcard_lines(self):
        self.check("$ seq 1 9\n1\n...\n8\n9\n")
        self.check("$ echo 1\n...\n1\n...\n")

    def test_status_and_stderr(self):
        self.check("$ echo cannot read file >&2; exit 2\n? 2\n! cannot ... file\n")

    def test_steps_share_a_folder(self):
        self.check("$ echo x > f\n$ cat f\nx\n")

    def test_continued_command_and_escape(self):
        self.check("# why\n$ cat <<E\n> $ x\n> E\n\\$ x\n")


class Rejects(unittest.TestCase):
    def check(self, text, status, says):
        got, out = outcome(text)
        self.assertEqual(got, status, out)
        self.assertIn(says, out)

    def test_other_line(self):
        self.check("$ echo a\nb\n", 1, "output line 1 is 'a', expected 'b'")

    def test_sanitizer(self):
        for report in "SUMMARY: AddressSanitizer: 10 byte(s) leaked", "a.c:1:2: runtime error: shift":
            self.check(f"$ echo '{report}' >&2; exit 1\n? 1\n", 1, report)

    def test_missing_line(self):
        self.check("$ echo a\na\nb\n", 1, "output ends before 'b'")

    def test_extra_line(self):
        self.check("$ seq 2\n1\n", 1, "expected no more output")

    def test_wildcard_is_not_everything(self):
        self.check("$ seq 9\n1\n...\n10\n", 1, "output ends before")

    def test_status(self):
        self.check("$ exit 3\n", 1, "exit status 3, expected 0")

    def test_stderr(self):
        self.check("$ echo a >&2\n! b\n", 1, "standard error does not have 'b'")

    def test_hang(self):
        status, out = outcome("$ sleep 100 & sleep 100\n$ echo next\nnext\n", "1")
        self.assertEqual(status, 1)
        self.assertIn("still running after 1 s", out)
        self.assertIn("2 steps, 1 failed", out)

    def test_bad_files(self):
        self.check("", 2, "no command")
        self.check("text\n$ true\n", 2, "before the first command")
        self.check("$ true\n? none\n", 2, "no exit status")


if __name__ == "__main__":
    unittest.main()
