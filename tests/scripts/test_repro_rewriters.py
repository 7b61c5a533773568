#!/usr/bin/env python3
"""repro.py of a rewriter gives the rewritten model its own inputs alone, and tells what ONNX's checker says of it.

A rewriter may drop an input, and make its default value a constant: that is the bug.  ONNX's reference evaluator takes
an array for any name, a constant's, too, and the model seemed right.  It takes nodes in any order as well.
"""

import contextlib
import io
import os
import re
import sys
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REWRITERS = ("onnxconvert", "onnxfloat16", "onnxoptimizer", "onnxscript", "onnxsim", "onnxslim", "ortquant", "ortsaved")

MODULES = ("numpy", "onnxruntime", "onnxruntime.quantization", "onnxscript", "onnxconverter_common")
# what stands in the place of @level@ and the others
OPTIONS = {"level": "O1", "weight": "int8", "activation": "uint8", "form": "qdq", "to": "up"}


def run_of(name, verdict="wrong"):
    """The run() of a rewriter's part of repro.py, with a library that does nothing."""
    with open(os.path.join(ROOT, "src", "libraries", "repro", name + ".py"), encoding="utf-8") as f:
        text = re.sub(r"@(\w+)@", lambda word: OPTIONS.get(word[1], ""), f.read())
    library = mock.MagicMock()
    library.simplify.return_value = library.model, True
    scope = {"library": library, "MODEL": "model.onnx", "VERDICT": verdict, "os": os, "sys": sys}
    exec(text, scope)  # the project's own file
    return scope["run"]


class Rewriters(unittest.TestCase):
    def setUp(self):
        self.session = mock.MagicMock(input_names=["x"], output_names=["y"])
        self.session.run.return_value = [1]
        self.onnx = mock.MagicMock()
        self.onnx.load.return_value.graph.node = []
        self.onnx.reference.ReferenceEvaluator.return_value = self.session
        self.onnx.load.return_value.opset_import = [mock.MagicMock(domain="", version=13)]
        modules = {m: mock.MagicMock() for m in MODULES}
        modules.update({"onnx": self.onnx, "onnx.reference": self.onnx.reference, "onnx.version_converter": self.onnx})
        patch = mock.patch.dict(sys.modules, modules)
        patch.start()
        self.addCleanup(patch.stop)

    def run_one(self, name, verdict="wrong"):
        """What run() gives, and what it prints."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            result = run_of(name, verdict)({"x": 1, "dropped": 2})
        return result, said.getvalue()

    def test_dropped_input_is_not_given(self):
        for name in REWRITERS:
            with self.subTest(name):
                self.assertEqual(self.run_one(name)[0], {"y": 1})
                self.assertEqual(self.session.run.call_args[0][1], {"x": 1})

    def test_checker_is_told(self):
        for name in REWRITERS:
            with self.subTest(name):
                self.assertIn("takes what it wrote", self.run_one(name)[1])
        self.onnx.checker.check_model.side_effect = ValueError("nodes must be sorted")
        for name in REWRITERS:
            with self.subTest(name):
                self.assertIn("refuses what it wrote: nodes must be sorted", self.run_one(name)[1])
                with self.assertRaises(ValueError):
                    self.run_one(name, "rejected")


if __name__ == "__main__":
    unittest.main()
