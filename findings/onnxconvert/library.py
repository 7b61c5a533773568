"""ONNX's version converter, and what claims about it share."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

from onnx import version_converter  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402


def call(text, *values, to, **options):
    """A call that runs what the converter makes of the graph in ONNX's text, by the package's own evaluator."""
    m = model(text, **options)
    return lambda: ReferenceEvaluator(version_converter.convert_version(m, to)).run(None, feeds(m, values))
