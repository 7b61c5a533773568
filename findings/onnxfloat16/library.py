"""onnxconverter-common's conversion to float16, and what claims about it share."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

import onnx  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402
from onnxconverter_common import float16  # noqa: E402


def call(text, *values, named=True, typed=False, inputs=(), **options):
    """A call that runs what the conversion makes of the graph in ONNX's text, by ONNX's own evaluator, once its checker
    has found it valid.  named: nodes have names; typed: the types of the outputs in the place of their values; inputs:
    initializers that are inputs as well."""
    m = model(text, **options)
    for i, node in enumerate(m.graph.node):
        node.name = f"node{i}" if named else ""
    for tensor in m.graph.initializer:
        if tensor.name in inputs:
            m.graph.input.append(onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))

    def run():
        written = float16.convert_float_to_float16(m, keep_io_types=True)
        onnx.checker.check_model(written, full_check=True)
        given = ReferenceEvaluator(written).run(None, feeds(m, values))
        return [onnx.helper.np_dtype_to_tensor_dtype(y.dtype) for y in given] if typed else given

    return run
