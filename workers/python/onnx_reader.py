"""Reads ONNX models, for workers of libraries that do not, by tables of fields.

read_model(bytes) gives a Model of plain objects; tensors are numpy arrays.  Only what a worker needs is kept.  Files
are hostile input: every length is checked, and whatever is wrong becomes a ModelError with a message for people.
"""

import struct

import numpy as np

import onnx_types
from wire import FIXED32, FIXED64, LENGTH, VARINT, fields_of_kinds, integers, signed


class ModelError(Exception):
    """The bytes are no ONNX model that can be used."""


class Message:
    """Fields of one protobuf message, set as attributes by name."""


# ---- messages ------------------------------------------------------------------------------------------------------

MAX_DEPTH = 64


def _text(value):
    try:
        return bytes(value).decode("utf-8")
    except UnicodeDecodeError as e:
        raise ModelError(f"a name is not UTF-8: {e}") from None


def _packed(kind, value):
    """The numbers of a repeated field, packed or not."""
    if kind == "int":
        return integers(value)
    size, code = (4, "f") if kind == "float" else (8, "d")
    if len(value) % size:
        raise ModelError(f"{len(value)} bytes of {kind} numbers")
    return list(struct.unpack(f"<{len(value) // size}{code}", value))


# Messages by name: field number -> (attribute, kind, repeated).  A kind in capitals is another message.
SCHEMA = {
    "Model": {1: ("ir_version", "int", False), 2: ("producer", "text", False), 7: ("graph", "Graph", False),
              8: ("opset_import", "Opset", True), 25: ("functions", "Function", True)},
    "Opset": {1: ("domain", "text", False), 2: ("version", "int", False)},
    "Graph": {1: ("nodes", "Node", True), 2: ("name", "text", False), 5: ("initializers", "Tensor", True),
              11: ("inputs", "ValueInfo", True), 12: ("outputs", "ValueInfo", True),
              15: ("sparse_initializers", "Sparse", True)},
    "Node": {1: ("inputs", "text", True), 2: ("outputs", "text", True), 3: ("name", "text", False),
             4: ("op", "text", False), 5: ("attributes", "Attribute", True), 7: ("domain", "text", False),
             8: ("overload", "text", False)},
    "Attribute": {1: ("name", "text", False), 2: ("f", "float", False), 3: ("i", "int", False),
                  4: ("s", "bytes", False), 5: ("t", "Tensor", False), 6: ("g", "Graph", False),
                  7: ("floats", "float", True), 8: ("ints", "int", True), 9: ("strings", "bytes", True),
                  10: ("tensors", "Tensor", True), 11: ("graphs", "Graph", True), 14: ("tp", "Type", False),
                  20: ("type", "int", False), 21: ("ref", "text", False), 22: ("sparse", "Sparse", False)},
    "Tensor": {1: ("dims", "int", True), 2: ("dtype", "int", False), 4: ("float_data", "float", True),
               5: ("int32_data", "int", True), 6: ("string_data", "bytes", True), 7: ("int64_data", "int", True),
               8: ("name", "text", False), 9: ("raw", "view", False), 10: ("double_data", "double", True),
               11: ("uint64_data", "int", True), 14: ("location", "int", False)},
    "Sparse": {1: ("values", "Tensor", False), 2: ("indices", "Tensor", False), 3: ("dims", "int", True)},
    "ValueInfo": {1: ("name", "text", False), 2: ("type", "Type", False)},
    "Type": {1: ("tensor", "TensorType", False), 4: ("sequence", "Wrapped", False), 9: ("optional", "Wrapped", False)},
    "Wrapped": {1: ("element", "Type", False)},
    "TensorType": {1: ("dtype", "int", False), 2: ("shape", "Shape", False)},
    "Shape": {1: ("dims", "Dim", True)},
    "Dim": {1: ("value", "int", False), 2: ("name", "text", False)},
    "Function": {1: ("name", "text", False), 4: ("inputs", "text", True), 5: ("outputs", "text", True),
                 6: ("attribute_names", "text", True), 7: ("nodes", "Node", True), 9: ("opset_import", "Opset", True),
                 10: ("domain", "text", False), 11: ("defaults", "Attribute", True), 13: ("overload", "text", False)},
}
EMPTY = {"int": 0, "float": 0.0, "double": 0.0, "text": "", "bytes": b""}
WIRE = {"int": VARINT, "float": FIXED32, "double": FIXED64}


def _one(kind, wire, value, depth):
    if wire != WIRE.get(kind, LENGTH):
        raise ModelError(f"a field of kind '{kind}' has wire type {wire}")
    if kind == "int":
        return signed(value)
    if kind in ("float", "double"):
        return _packed(kind, value)[0]
    if kind == "text":
        return _text(value)
    if kind == "bytes":
        return bytes(value)
    return value if kind == "view" else _message(kind, value, depth + 1)


def _message(name, data, depth=0):
    if depth > MAX_DEPTH:
        raise ModelError("messages are nested too deeply")
    table, message = SCHEMA[name], Message()
    for attribute, kind, repeated in table.values():
        setattr(message, attribute, [] if repeated else EMPTY.get(kind))
    for number, wire, value in fields_of_kinds(data):
        if number not in table:
            continue
        attribute, kind, repeated = table[number]
        if not repeated:
            setattr(message, attribute, _one(kind, wire, value, depth))
        elif kind in WIRE:
            getattr(message, attribute).extend(_packed(kind, value))
        else:
            getattr(message, attribute).append(_one(kind, wire, value, depth))
    return message


# ---- tensors -------------------------------------------------------------------------------------------------------

# Where elements lie that are not in raw_data: element type -> field.
TYPED_FIELD = {1: "float_data", 14: "float_data", 11: "double_data", 15: "double_data", 7: "int64_data",
               12: "uint64_data", 13: "uint64_data"}


def tensor_array(tensor):
    """A TensorProto as a numpy array (strings: an array of bytes objects)."""
    count = 1
    for d in tensor.dims:
        count *= d
        if d < 0 or count > 1 << 34:
            raise ModelError(f"tensor '{tensor.name}' has the shape {tensor.dims}")
    if tensor.location:
        raise ModelError(f"tensor '{tensor.name}' lies in another file")
    if tensor.dtype == onnx_types.STRING:
        flat = np.array(tensor.string_data, dtype=object)
    elif tensor.raw is not None:
        flat = onnx_types.unpack(tensor.dtype, tensor.raw, count)
    else:
        flat = _typed(tensor, count)
    if flat.size != count:
        raise ModelError(f"tensor '{tensor.name}' of shape {tensor.dims} has {flat.size} elements")
    return flat.reshape(tensor.dims)


def _typed(tensor, count):
    dtype = onnx_types.numpy_type(tensor.dtype)
    numbers = getattr(tensor, TYPED_FIELD.get(tensor.dtype, "int32_data"))
    if dtype.kind == "c":
        return np.array(numbers, dtype=np.float64).reshape(-1, 2).astype(dtype.type(0).real.dtype).view(dtype).ravel()
    if tensor.dtype in onnx_types.BITS:  # several small elements in a byte
        return onnx_types.unpack(tensor.dtype, (np.array(numbers, dtype=np.int64) & 0xFF).astype(np.uint8), count)
    if tensor.dtype in onnx_types.AS_BITS:  # 16- and 8-bit floats are stored as the integers of their bits
        return np.array(numbers, dtype=np.int64).astype(f"u{dtype.itemsize}").view(dtype)
    return np.array(numbers, dtype=np.int64 if dtype.kind in "iub" else np.float64).astype(dtype)


def sparse_array(sparse):
    """A SparseTensorProto as a dense numpy array."""
    values, indices = tensor_array(sparse.values), tensor_array(sparse.indices).astype(np.int64)
    dense = np.zeros(sparse.dims, dtype=values.dtype)
    flat = dense.reshape(-1)
    where = indices if indices.ndim == 1 else np.ravel_multi_index(tuple(indices.T), dense.shape)
    if where.size and (where.min() < 0 or where.max() >= flat.size):
        raise ModelError("a sparse tensor has an index outside")
    flat[where] = values
    return dense


# ---- the model -----------------------------------------------------------------------------------------------------

# AttributeProto.type -> how its value is read
ATTRIBUTE = {
    1: lambda a: a.f, 2: lambda a: a.i, 3: lambda a: a.s, 4: lambda a: tensor_array(a.t), 5: lambda a: a.g,
    6: lambda a: a.floats, 7: lambda a: a.ints, 8: lambda a: a.strings,
    9: lambda a: [tensor_array(t) for t in a.tensors], 10: lambda a: a.graphs, 11: lambda a: sparse_array(a.sparse),
    13: lambda a: a.tp,
}


class Reference:
    """An attribute that takes its value from the call of the function it stands in."""

    def __init__(self, name):
        self.name = name


def _attribute(a):
    if a.ref:
        return Reference(a.ref)
    if a.type not in ATTRIBUTE:
        raise ModelError(f"attribute '{a.name}' has type {a.type}")
    return ATTRIBUTE[a.type](a)


def _finish_nodes(nodes):
    for node in nodes:
        node.domain = "" if node.domain == "ai.onnx" else node.domain
        node.attributes = {a.name: _attribute(a) for a in node.attributes}
        for value in node.attributes.values():
            for graph in value if isinstance(value, list) else [value]:
                if isinstance(graph, Message) and hasattr(graph, "nodes"):
                    _finish_graph(graph)


def _finish_graph(graph):
    graph.constants = {t.name: tensor_array(t) for t in graph.initializers}
    graph.constants.update({s.values.name: sparse_array(s) for s in graph.sparse_initializers})
    graph.initializers = graph.sparse_initializers = None
    _finish_nodes(graph.nodes)


def _opsets(imports):
    return {"" if o.domain == "ai.onnx" else o.domain: o.version for o in imports}


def read_model(data):
    """The model of some bytes: .graph (.nodes .constants .inputs .outputs), .opsets, .functions by domain and name.
    ModelError, or onnx_types.NoSuchType."""
    try:
        model = _message("Model", memoryview(data))
        if model.graph is None:
            raise ModelError("the model has no graph")
        model.opsets = _opsets(model.opset_import)
        _finish_graph(model.graph)
        for f in model.functions:
            f.opsets = _opsets(f.opset_import)
            f.defaults = {a.name: _attribute(a) for a in f.defaults}
            _finish_nodes(f.nodes)
        model.functions = {(f.domain, f.name, f.overload): f for f in model.functions}
        return model
    except onnx_types.NoSuchType:
        raise
    except (ValueError, TypeError, AttributeError, OverflowError, MemoryError) as e:
        raise ModelError(f"the model cannot be read: {e}") from None
