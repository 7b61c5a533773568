"""ONNX Runtime's quantizers, and what claims about them share."""

import logging
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402
from onnxruntime import quantization  # noqa: E402

TYPES = {"int8": quantization.QuantType.QInt8, "uint8": quantization.QuantType.QUInt8}
FORMS = {"qdq": quantization.QuantFormat.QDQ, "qoperator": quantization.QuantFormat.QOperator}
logging.getLogger().setLevel(logging.ERROR)


class Once:
    """Inputs to calibrate with."""

    def __init__(self, inputs):
        self.left = [inputs]

    def get_next(self):
        return self.left.pop() if self.left else None


def evaluate(path, inputs):
    """By ONNX's own evaluator; by ONNX Runtime, which optimizes nothing, where nobody else has the operators."""
    written = onnx.load(path)
    if all(node.domain in ("", "ai.onnx") for node in written.graph.node):
        onnx.checker.check_model(written, full_check=True)
        return ReferenceEvaluator(written).run(None, inputs)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, inputs)


def call(text, *values, form="qdq", activation="int8", dynamic=False, given=None, more=None, **options):
    """A call that runs what a quantizer makes of the graph in ONNX's text, calibrated with these values.  given:
    further arguments of the quantizer; more: further inputs, those with a default."""
    m = model(text, **options)
    for i, node in enumerate(m.graph.node):
        node.name = f"node{i}"

    def run():
        inputs = {**feeds(m, values), **(more or {})}
        with tempfile.TemporaryDirectory() as folder:
            before, after = os.path.join(folder, "model.onnx"), os.path.join(folder, "quantized.onnx")
            onnx.save(m, before)
            if dynamic:
                quantization.quantize_dynamic(before, after, **(given or {}))
            else:
                quantization.quantize_static(before, after, Once(inputs), quant_format=FORMS[form],
                                             activation_type=TYPES[activation], **(given or {}))
            return evaluate(after, inputs)

    return run
