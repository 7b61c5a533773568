"""Writes TensorFlow Lite models, operator by operator, with the schema that the library's own package has.

Shapes of results come from the library: each operator, alone in a model and without delegates, is allocated for the
shapes it gets.  (Delegates take the shapes that a model declares, so these must be known before.)  With a record,
each operator is run alone, too, with the shape that was found.
"""

import re

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
VARIADIC = ("CONCATENATION",)  # inputs are one list
NO_SHAPE = (65537,)  # that no result has


class Handle:
    """A tensor of a model under construction; .data is an array when it is a constant."""

    def __init__(self, shape, dtype, data=None):
        self.shape, self.dtype, self.data = tuple(int(d) for d in shape), np.dtype(dtype), data
        self.ndim, self.given = len(self.shape), None  # given: (name, elements) of an input
        self.value = data  # elements where they are known: with a record, those of every tensor
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


def fetched(made, detail):
    """An output of an interpreter; it does not give out empty ones."""
    if 0 in detail["shape"]:
        return np.zeros(detail["shape"], detail["dtype"])
    return np.array(made.get_tensor(detail["index"]))


def said(field, value):
    """An option as the schema has it: (name, value)."""
    name = re.sub("[A-Z]", lambda letter: "_" + letter.group(0).lower(), field)
    if name == "padding":
        value = "VALID" if value == schema.Padding.VALID else "SAME"
    elif name.endswith("_type"):
        value = next(np.dtype(t) for t, code in TYPES.items() if code == value)
    elif isinstance(value, float):
        value = np.float32(value)
    return name, value


class Builder:
    """Collects operators; kernels and threads are how they will be run; record: a record_graph.Record, or None."""

    def __init__(self, kernels="auto", threads=1, record=None):
        self.operators, self.kernels, self.threads, self.record = [], KERNELS[kernels], threads, record

    def interpreter(self, operators, inputs, outputs, delegates=True):
        kernels = self.kernels if delegates or self.kernels != KERNELS["auto"] else KERNELS["builtin"]
        made = litert.Interpreter(model_content=write(operators, inputs, outputs), num_threads=self.threads,
                                  experimental_op_resolver_type=kernels)
        made.allocate_tensors()
        return made

    def _shape(self, name, operator, variable):
        """Gives the results of an operator the shapes that the library finds.  Some operators keep a declared shape
        that has as many elements, others want the declared number of axes to be right unless it is 0."""
        for shape in (NO_SHAPE, ()):
            for handle in operator.outputs:
                handle.__init__(shape, handle.dtype)
            try:
                made = self.interpreter([operator], variable, operator.outputs, delegates=False)
                break
            except (RuntimeError, ValueError) as e:
                why = e
        else:
            raise Unsupported(f"{name}: {why}")
        for handle, detail in zip(operator.outputs, made.get_output_details()):
            if np.dtype(detail["dtype"]) != handle.dtype:
                raise Unsupported(f"{name} gives {np.dtype(detail['dtype']).name}")
            handle.__init__(detail["shape"], handle.dtype)

    def _recorded(self, handle):
        if handle is None or handle in self.record.numbers:
            return self.record.variable(handle)
        name, handle.value = handle.given if handle.given else (None, handle.data)
        return self.record.source(handle, handle.value, name)

    def _line(self, name, operator, fields):
        """What the operator is told; behind its options, as build_…, what else a script needs to build it."""
        inputs = [self._recorded(h) for h in operator.inputs]
        more = {"build_options": type(operator.options).__name__} if operator.options else {}
        constants = [i for i, h in enumerate(operator.inputs) if h is not None and h.data is not None]
        more.update({"build_constants": constants, "build_outputs": [h.dtype.name for h in operator.outputs],
                     "build_version": operator.version})
        return self.record.op(name, [inputs] if name in VARIADIC else inputs,
                              {**dict(said(*f) for f in fields.items()), **more})

    def _run(self, line, operator, variable):
        """The operator alone, on the values that came of those before it."""
        made = self.interpreter([operator], variable, operator.outputs)
        for handle, detail in zip(variable, made.get_input_details()):
            made.set_tensor(detail["index"], handle.value)
        made.invoke()
        for handle, detail in zip(operator.outputs, made.get_output_details()):
            handle.value = fetched(made, detail)
        self.record.made(line, [(handle, handle.value) for handle in operator.outputs])

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
        line = self._line(name, operator, fields) if self.record else None
        self._shape(name, operator, variable)
        if self.record:
            self._run(line, operator, variable)
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
