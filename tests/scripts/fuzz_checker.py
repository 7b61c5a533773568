#!/usr/bin/env python3
"""What `assay fuzz` makes is accepted by ONNX's own checker, in every opset.  fuzz_checker.py ASSAY DEPS"""

import glob
import os
import subprocess
import sys
import tempfile
import unittest

import onnx_package

ASSAY, DEPS = sys.argv.pop(1), sys.argv.pop(1)
MODELS = 20
OPSETS = range(7, 29)
OTHERS = ("SimplifiedLayerNormalization",)  # ONNX Runtime's own, in ONNX's domain


class Fuzz(unittest.TestCase):
    def made(self, folder, opset):
        done = subprocess.run([ASSAY, "fuzz", "-b", "reference", "--corpus", "large", "--opset", str(opset), "--models",
                               str(MODELS), "--no-store", "--keep-all", "-o", folder], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return sorted(glob.glob(os.path.join(folder, "models", "*.onnx")))

    def test_every_opset(self):
        checker = onnx_package.load(DEPS).checker
        for opset in OPSETS:
            with tempfile.TemporaryDirectory() as folder:
                paths = self.made(folder, opset)
                self.assertEqual(len(paths), MODELS)
                for path in paths:
                    with open(path, "rb") as f, self.subTest(opset=opset, model=os.path.basename(path)):
                        try:
                            checker.check_model(f.read(), full_check=True, skip_opset_compatibility_check=False,
                                                check_custom_domain=False)
                        except Exception as e:
                            if not any(operator in str(e) for operator in OTHERS):
                                raise


if __name__ == "__main__":
    unittest.main()
