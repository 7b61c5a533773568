"""onnxsim, and what claims about it share."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

from onnx.reference import ReferenceEvaluator  # noqa: E402

sys.path.pop(0)  # a folder here has the name of the package

import onnxsim  # noqa: E402


def call(text, *values, **options):
    """A call that runs what onnxsim makes of the graph in ONNX's text, by ONNX's own evaluator."""
    m = model(text, **options)
    return lambda: ReferenceEvaluator(onnxsim.simplify(m)[0]).run(None, feeds(m, values))
