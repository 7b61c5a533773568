"""OnnxSlim, and what claims about it share."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

from onnx.reference import ReferenceEvaluator  # noqa: E402

sys.path.pop(0)  # a folder here has the name of the package

import onnx  # noqa: E402
import onnxslim  # noqa: E402


def call(text, *values, **options):
    """A call that runs what OnnxSlim makes of the graph in ONNX's text, by ONNX's own evaluator."""
    m = model(text, **options)
    return lambda: ReferenceEvaluator(onnxslim.slim(m)).run(None, feeds(m, values))


def checked(text, *values, **options):
    """The same, refused where ONNX's checker refuses what OnnxSlim writes: the evaluator takes nodes in any order."""
    m = model(text, **options)

    def run():
        slimmed = onnxslim.slim(m)
        onnx.checker.check_model(slimmed)
        return ReferenceEvaluator(slimmed).run(None, feeds(m, values))

    return run
