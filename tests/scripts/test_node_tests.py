#!/usr/bin/env python3
"""scripts/node-tests leaves nothing beside the cases that `assay conform` would take for cases."""

import os
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import commands  # noqa: E402

# In place of a Python with onnx: makes one case in the folder that is its last word.
PYTHON = """#!/bin/sh
for last; do :; done
mkdir -p "$last/node/test_one"
"""


def make(folder, *words):
    path = os.path.join(ROOT, "scripts", "node-tests")
    subprocess.run([sys.executable, path, folder, *words], check=True, stdout=subprocess.DEVNULL)


class NodeTests(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.python = os.path.join(self.place.name, "python3")
        with open(self.python, "w", encoding="utf-8") as f:
            f.write(PYTHON)
        os.chmod(self.python, stat.S_IRWXU)
        self.folder = os.path.join(self.place.name, "tests")

    def test_cases_alone(self):
        make(self.folder, "--python", self.python)
        self.assertEqual(os.listdir(self.folder), ["node"])

    def test_earlier_environment_goes(self):
        os.makedirs(os.path.join(self.folder, "python", "lib"))
        os.makedirs(os.path.join(self.folder, "node"))
        open(os.path.join(self.folder, "python", "filled"), "w", encoding="utf-8").close()
        make(self.folder)
        self.assertEqual(os.listdir(self.folder), ["node"])

    def test_environment_is_hidden(self):
        self.assertTrue(commands.load("scripts/node-tests").ENVIRONMENT.startswith("."))


if __name__ == "__main__":
    unittest.main()
