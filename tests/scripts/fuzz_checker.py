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
QUANTIZED = """operators:
  - {name: QuantizeDequantize}
  - {name: QuantizedConv}
  - {name: QuantizedMatMul}
"""


class Fuzz(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.checker = onnx_package.load(DEPS).checker  # a process can do so once

    def made(self, folder, opset, corpus, models):
        done = subprocess.run([ASSAY, "fuzz", "-b", "reference", "--corpus", corpus, "--opset", str(opset), "--models",
                               str(models), "--no-store", "--keep-all", "-o", folder], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return sorted(glob.glob(os.path.join(folder, "models", "*.onnx")))

    def check(self, opset, corpus, models):
        with tempfile.TemporaryDirectory() as folder:
            paths = self.made(folder, opset, corpus, models)
            self.assertEqual(len(paths), models)
            for path in paths:
                with open(path, "rb") as f, self.subTest(opset=opset, model=os.path.basename(path)):
                    try:
                        self.checker.check_model(f.read(), full_check=True, skip_opset_compatibility_check=False,
                                                 check_custom_domain=False)
                    except Exception as e:
                        if not any(operator in str(e) for operator in OTHERS):
                            raise

    def test_every_opset(self):
        for opset in OPSETS:
            self.check(opset, "large", MODELS)

    def test_quantized(self):
        """Many attributes and types, which came with six opsets."""
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as corpus:
            corpus.write(QUANTIZED)
            corpus.flush()
            for opset in (10, 13, 19, 21, 23, 24, 25, 28):
                self.check(opset, corpus.name, 5 * MODELS)


if __name__ == "__main__":
    unittest.main()
