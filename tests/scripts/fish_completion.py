#!/usr/bin/env python3
"""What fish offers: fish_completion.py ASSAY

fish itself is asked, by `complete -C`, with the script of `assay completion fish`."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ASSAY = os.path.abspath(sys.argv.pop(1))
SKIPPED = 77


def offered(line, folder=None):
    """{word: description} for a line that is being typed."""
    path = os.path.dirname(ASSAY) + os.pathsep + os.environ.get("PATH", "")
    with tempfile.TemporaryDirectory() as home:
        script = "assay completion fish | source; complete -C $argv[1]"
        done = subprocess.run(["fish", "--no-config", "-c", script, line],
                              env={**os.environ, "PATH": path, "HOME": home}, cwd=folder or home, text=True,
                              stdout=subprocess.PIPE, check=True)
    return dict((row.split("\t", 1) + [""])[:2] for row in done.stdout.splitlines())


class Fish(unittest.TestCase):
    def test_a_dash_asks_for_options_alone(self):
        words = offered("assay check --no")
        self.assertEqual(words["--no-store"], "do not record findings")
        self.assertEqual([word for word in words if not word.startswith("--no")], [])

    def test_no_dash_asks_for_networks_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "lenet.onnx"), "w", encoding="ascii"):
                pass
            words = offered("assay check lene", folder)
            self.assertEqual(words["lenet5"], "a network of the zoo")
            self.assertIn("lenet.onnx", words)
            self.assertEqual([word for word in words if word.startswith("-")], [])
            self.assertIn("lenet.onnx", offered("assay check m.onnx --svg lene", folder))
            self.assertNotIn("lenet.onnx", offered("assay check m.onnx -b lene", folder))

    def test_verbs(self):
        for line in ("assay ch", "assay help ch"):
            self.assertEqual(list(offered(line)), ["check"])

    def test_backends_of_an_option_and_of_a_list(self):
        self.assertEqual(list(offered("assay check -b refe")), ["reference"])
        self.assertEqual(list(offered("assay check -b reference,fault:kernel_m")), ["reference,fault:kernel_mirrored"])

    def test_words_of_an_option(self):
        self.assertEqual(list(offered("assay run --mode r")), ["rounded"])

    def test_words_and_files_of_an_option(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "large.yaml"), "w", encoding="ascii"):
                pass
            self.assertEqual(sorted(offered("assay fuzz --corpus la", folder)), ["large", "large.yaml"])

    def test_words_of_a_verb(self):
        self.assertIn("install", offered("assay backends in"))


if __name__ == "__main__":
    if not shutil.which("fish"):
        print("there is no fish; 'scripts/setup --ci' gets it")
        sys.exit(1 if os.environ.get("ASSAY_REQUIRE_REPORT_TOOLS") else SKIPPED)
    unittest.main()
