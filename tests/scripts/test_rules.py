#!/usr/bin/env python3
"""bench/rules asks the package that is fuzzed for its rules."""

import json
import os
import subprocess
import sys
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import commands  # noqa: E402

BENCH = commands.load("bench/rules")


class Rules(unittest.TestCase):
    def names(self, *versions):
        """Of rules, where these versions are installed; `backends list` has the newest first."""
        listed = [{"name": "onnxsim", "path": "/onnxsim/0.8.1"}]
        listed += [{"name": "onnxscript", "path": f"/onnxscript/{version}"} for version in versions]
        answers = [json.dumps({"installed": listed}), "CastCast mul_by_1\n"]

        def run(words, **more):
            self.asked = words
            return subprocess.CompletedProcess(words, 0, answers.pop(0))
        with mock.patch.object(BENCH.subprocess, "run", run):
            return BENCH.names("assay")

    def test_names_are_those_of_the_newest_version(self):
        self.assertEqual(self.names("0.7.2", "0.5.0"), ["CastCast", "mul_by_1"])
        self.assertIn("/onnxscript/0.7.2/site", self.asked)

    def test_without_the_package(self):
        self.assertEqual(self.names(), [])


if __name__ == "__main__":
    unittest.main()
