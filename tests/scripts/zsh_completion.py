#!/usr/bin/env python3
"""What zsh offers: zsh_completion.py ASSAY

The script of `assay completion zsh` runs in a zsh whose functions for completion only print what they are given."""

import os
import shutil
import subprocess
import sys
import unittest

ASSAY = os.path.abspath(sys.argv.pop(1))
SKIPPED = 77
# words, CURRENT and PREFIX are zsh's own; the arguments are what was typed, the last of them not yet complete.
FRAME = """
compdef() { : }
compset() { : }
_files() { print '<files>' }
_describe() { print -rl -- ${(P)2} }
source <(assay completion zsh)
words=("$@") CURRENT=$# PREFIX=${@[-1]}
_assay
"""


def offered(*typed):
    path = os.path.dirname(ASSAY) + os.pathsep + os.environ.get("PATH", "")
    done = subprocess.run(["zsh", "-f", "-c", FRAME, "zsh", *typed], env={**os.environ, "PATH": path}, text=True,
                          stdout=subprocess.PIPE, check=True)
    return done.stdout.splitlines()


class Zsh(unittest.TestCase):
    def test_a_dash_asks_for_options_alone(self):
        for word in ("-", "--no"):
            lines = offered("assay", "check", word)
            self.assertIn("--no-store:do not record findings", lines)
            self.assertEqual([line for line in lines if not line.startswith("--")], [])

    def test_no_dash_asks_for_networks_and_files(self):
        lines = offered("assay", "check", "l")
        self.assertIn("lenet5:a network of the zoo", lines)
        self.assertIn("<files>", lines)
        self.assertEqual([line for line in lines if line.startswith("-")], [])

    def test_verbs(self):
        for typed in (("assay", "ch"), ("assay", "help", "ch")):
            self.assertTrue(any(line.startswith("check:") for line in offered(*typed)))

    def test_backends_of_an_option(self):
        lines = offered("assay", "check", "-b", "ref")
        self.assertIn("reference:the double-precision reference", lines)
        self.assertNotIn("<files>", lines)

    def test_files_of_an_option(self):
        self.assertEqual(offered("assay", "check", "--svg", "x"), ["<files>"])

    def test_words_and_files_of_an_option(self):
        self.assertEqual(offered("assay", "fuzz", "--corpus", "l"), ["paper:", "large:", "<files>"])


if __name__ == "__main__":
    if not shutil.which("zsh"):
        print("there is no zsh; 'scripts/setup --ci' gets it")
        sys.exit(1 if os.environ.get("ASSAY_REQUIRE_REPORT_TOOLS") else SKIPPED)
    unittest.main()
