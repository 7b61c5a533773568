#!/usr/bin/env python3
"""What `assay zoo get` writes is accepted by ONNX's own checker, types and shapes too.  zoo_checker.py ASSAY DEPS"""

import os
import subprocess
import sys
import tempfile
import unittest

import onnx_package

ASSAY, DEPS = sys.argv.pop(1), sys.argv.pop(1)


class Zoo(unittest.TestCase):
    def check(self, checker, folder, name, *options):
        path = os.path.join(folder, "model.onnx")
        done = subprocess.run([ASSAY, "zoo", "get", name, "-o", path, *options], capture_output=True, text=True)
        if done.returncode and "can be built in opset" in done.stderr:
            return 0
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path, "rb") as f, self.subTest(name=name, options=options):
            checker.check_model(f.read(), full_check=True, skip_opset_compatibility_check=False,
                                check_custom_domain=True)
        return 1

    def test_every_network(self):
        checker = onnx_package.load(DEPS).checker
        with self.assertRaises(Exception):
            checker.check_model(b"")
        listed = subprocess.run([ASSAY, "zoo"], capture_output=True, text=True, check=True).stdout
        names = [line.split()[0] for line in listed.splitlines()]
        checked = 0
        with tempfile.TemporaryDirectory() as folder:
            for name in names:
                checked += self.check(checker, folder, name)
                for opset in "9", "13", "17":
                    checked += self.check(checker, folder, name, "--random", "--opset", opset, "--batch", "2")
        self.assertGreaterEqual(len(names), 14)
        self.assertGreaterEqual(checked, 2 * len(names))


if __name__ == "__main__":
    unittest.main()
