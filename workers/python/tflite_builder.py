"""Writes TensorFlow Lite models, operator by operator, with the schema that the library's own package has.

Shapes of results come from the library: each operator, alone in a model, is allocated for the shapes it gets.
"""

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

from worker_types import Unsupported

TYPES = {"float32": schema.TensorType.FLOAT32, "int32": schema.TensorType.INT32, "int64": schema.TensorType.INT64,
         "bool": schema.TensorType.BOOL, "uint8": schema.TensorType.UINT8, "int8": schema.TensorType.INT8,
         "float64": schema.TensorType.FLOAT64, "int16": schema.TensorType.INT16}
KERNELS = {"auto": litert.OpResolverType.AUTO, "builtin": litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
           "reference": litert.OpResolverType.BUILTIN_REF}


class Handle:
    """A tensor of a model under construction; .data is an array when it is a constant."""

    def __init__(self, shape, dtype, data=None):
        self.shape, self.dtype, self.data = tuple(int(d) for d in shape), np.dtype(dtype), data
        self.ndim, self.given = len(self.shape), None  # given: (name, elements) of an input
        self.size = int(np.prod(self.shape, dtype=np.int64))


class Operator:
    def __init__(self, code, options, inputs, outputs, version):
        self.code, self.options, self.inputs, self.outputs, self.version = code, options, inputs, outputs, version


def write(operators, inputs, outputs):
    """The bytes of a .tflite file."""
    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.buffers, model.operatorCodes, codes = 3, [schema.BufferT()], [], {}
    graph.tensors, graph.operators, index = [], [], {}

    def at(handle):
        if handle is None:
            return -1
        if id(handle) not in index:
            index[id(handle)] = len(graph.tensors)
            graph.tensors.append(_tensor(model, handle, index[id(handle)]))
        return index[id(handle)]

    graph.inputs = [at(h) for h in inputs]
    for o in operators:
        key = (o.code, o.version)
        if key not in codes:
            codes[key] = len(model.operatorCodes)
            model.operatorCodes.append(_code(*key))
        op = schema.OperatorT()
        op.opcodeIndex = codes[key]
        op.inputs, op.outputs = [at(h) for h in o.inputs], [at(h) for h in o.outputs]
        if o.options is not None:
            name = type(o.options).__name__[:-1]
            op.builtinOptionsType, op.builtinOptions = getattr(schema.BuiltinOptions, name), o.options
        graph.operators.append(op)
    graph.outputs = [at(h) for h in outputs]
    model.subgraphs = [graph]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _tensor(model, handle, number):
    tensor = schema.TensorT()
    tensor.name = f"t{number}".encode()
    tensor.shape, tensor.hasRank = np.array(handle.shape, np.int32), True
    if handle.dtype.name not in TYPES:
        raise Unsupported(f"elements of type {handle.dtype.name}")
    tensor.type, tensor.buffer = TYPES[handle.dtype.name], 0
    if handle.data is not None:
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(np.ascontiguousarray(handle.data).tobytes(), np.uint8)
        tensor.buffer = len(model.buffers)
        model.buffers.append(buffer)
    return tensor


def _code(code, version):
    c = schema.OperatorCodeT()
    c.builtinCode, c.deprecatedBuiltinCode, c.version = code, min(code, 127), version
    return c


class Builder:
    """Collects operators; kernels and threads are how they will be run."""

    def __init__(self, kernels="auto", threads=1):
        self.operators, self.kernels, self.threads = [], KERNELS[kernels], threads

    def interpreter(self, operators, inputs, outputs):
        made = litert.Interpreter(model_content=write(operators, inputs, outputs), num_threads=self.threads,
                                  experimental_op_resolver_type=self.kernels)
        made.allocate_tensors()
        return made

    def op(self, name, inputs, dtype, options=None, outputs=1, version=1, **fields):
        """Adds an operator; its output handle (outputs > 1: a list of them) has the shape the library gives it.
        `dtype` is that of the output, or a tuple of them."""
        if options:
            options = getattr(schema, options + "OptionsT")()
            for field, value in fields.items():
                setattr(options, field, value)
        handles = [h if isinstance(h, Handle) or h is None else self.constant(h) for h in inputs]
        dtypes = dtype if isinstance(dtype, tuple) else (dtype,) * outputs
        results = [Handle((), d) for d in dtypes]
        operator = Operator(getattr(schema.BuiltinOperator, name), options, handles, results, version)
        variable = [h for h in {id(h): h for h in handles if h is not None}.values() if h.data is None]
        try:
            made = self.interpreter([operator], variable, results)
        except (RuntimeError, ValueError) as e:
            raise Unsupported(f"{name}: {e}") from None
        for handle, detail in zip(results, made.get_output_details()):
            if np.dtype(detail["dtype"]) != handle.dtype:
                raise Unsupported(f"{name} gives {np.dtype(detail['dtype']).name}")
            handle.__init__(detail["shape"], handle.dtype)
        self.operators.append(operator)
        return results if outputs > 1 else results[0]

    def needed(self, handle):
        """The operators that a tensor is computed by, in order."""
        wanted, found = {id(handle)}, []
        for operator in reversed(self.operators):
            if any(id(h) in wanted for h in operator.outputs):
                found.append(operator)
                wanted.update(id(h) for h in operator.inputs if h is not None)
        return found[::-1]

    @staticmethod
    def constant(array):
        array = np.asarray(array)
        return Handle(array.shape, array.dtype, array)
