"""LiteRT's Python package, and what claims about it share."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, right, verdict, wrong  # noqa: E402,F401

import flatbuffers  # noqa: E402
import numpy as np  # noqa: E402
from ai_edge_litert import interpreter as litert  # noqa: E402
from ai_edge_litert import schema_py_generated as schema  # noqa: E402

OPTIMIZED = litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
REFERENCE = litert.OpResolverType.BUILTIN_REF


def tensor(name, shape):
    t = schema.TensorT()
    t.name, t.shape, t.type, t.buffer = name, np.array(shape, np.int32), schema.TensorType.FLOAT32, 0
    return t


def operator(name, value, options=None, kernels=OPTIMIZED, **fields):
    """A call of one operator of one float tensor, whose result has the same shape."""
    value = np.asarray(value, np.float32)

    def call():
        code, op, graph, model = schema.OperatorCodeT(), schema.OperatorT(), schema.SubGraphT(), schema.ModelT()
        code.builtinCode, code.version = getattr(schema.BuiltinOperator, name), 1
        code.deprecatedBuiltinCode = code.builtinCode
        op.opcodeIndex, op.inputs, op.outputs = 0, [0], [1]
        if options:
            op.builtinOptions = getattr(schema, options + "T")()
            op.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            for key, number in fields.items():
                setattr(op.builtinOptions, key, number)
        graph.tensors, graph.operators = [tensor(b"x", value.shape), tensor(b"y", value.shape)], [op]
        graph.inputs, graph.outputs = [0], [1]
        model.version, model.buffers, model.operatorCodes, model.subgraphs = 3, [schema.BufferT()], [code], [graph]
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        made = litert.Interpreter(model_content=bytes(builder.Output()), num_threads=1,
                                  experimental_op_resolver_type=kernels)
        made.allocate_tensors()
        made.set_tensor(0, value)
        made.invoke()
        return np.array(made.get_tensor(1))
    return call
