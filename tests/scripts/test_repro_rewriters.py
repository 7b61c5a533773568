#!/usr/bin/env python3
"""repro.py of a rewriter gives the rewritten model its own inputs alone.

A rewriter may drop an input, and make its default value a constant: that is the bug.  ONNX's reference evaluator takes
an array for any name, a constant's, too, and the model seemed right.
"""

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


def run_of(name):
    """The run() of a rewriter's part of repro.py, with a library that does nothing."""
    with open(os.path.join(ROOT, "src", "libraries", "repro", name + ".py"), encoding="utf-8") as f:
        text = re.sub(r"@(\w+)@", lambda word: OPTIONS.get(word[1], ""), f.read())
    library = mock.MagicMock()
    library.simplify.return_value = library.model, True
    scope = {"library": library, "MODEL": "model.onnx", "VERDICT": "wrong", "os": os, "sys": sys}
    exec(text, scope)  # the project's own file
    return scope["run"]


class Rewriters(unittest.TestCase):
    def test_dropped_input_is_not_given(self):
        for name in REWRITERS:
            session = mock.MagicMock(input_names=["x"], output_names=["y"])
            session.run.return_value = [1]
            onnx = mock.MagicMock()
            onnx.load.return_value.graph.node = []
            onnx.reference.ReferenceEvaluator.return_value = session
            onnx.load.return_value.opset_import = [mock.MagicMock(domain="", version=13)]
            modules = {m: mock.MagicMock() for m in MODULES}
            modules.update({"onnx": onnx, "onnx.reference": onnx.reference, "onnx.version_converter": onnx})
            with self.subTest(name), mock.patch.dict(sys.modules, modules):
                self.assertEqual(run_of(name)({"x": 1, "dropped": 2}), {"y": 1})
                self.assertEqual(session.run.call_args[0][1], {"x": 1})


if __name__ == "__main__":
    unittest.main()
