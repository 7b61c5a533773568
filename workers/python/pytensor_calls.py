"""PyTensor as its bindings see it: pt and special as they are, or, when a record is wanted (record.py), with each call
compiled and run by itself, and written down under its public name: pytensor.tensor.add,
pytensor.tensor.special.softmax.

Operators and methods of variables are written as the functions of pytensor.tensor that they stand for; x[index] as
op("getitem", x, index), with one item in index for each axis, and set_subtensor(x[index], y) as
op("pytensor.tensor.set_subtensor", x, index, y).
"""

import types

import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor.tensor import special

import record

OPERATORS = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "true_div", "pow": "pow", "neg": "neg", "lt": "lt",
             "le": "le", "gt": "gt", "ge": "ge", "floordiv": "int_div"}
TYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64"}
plain_pt = pt


class Value(record.Value):
    """A variable with its value."""

    dtype = property(lambda self: self.array.dtype.name)
    type = property(lambda self: types.SimpleNamespace(shape=self.shape))
    T = property(lambda self: pt.transpose(self))
    part_of = None  # (x, index) when it is x[index]

    def __getitem__(self, index):
        r = self.recorder
        index = r.index(self, index)
        part = r.call("getitem", lambda x, i: x[tuple(i)], (self, index), {})
        part.part_of = (self, index)
        return part

    def reshape(self, shape):
        return pt.reshape(self, shape)

    def transpose(self, *axes):
        return pt.transpose(self, axes)

    def swapaxes(self, a, b):
        return pt.swapaxes(self, a, b)

    def astype(self, dtype):
        return pt.cast(self, dtype)


class Recorder(record.Recorder):
    value = Value
    mode = None  # of the session that runs

    def __init__(self, folder, values):
        super().__init__(folder, values)
        self.compiled = {}
        self.special = {"pytensor.tensor.as_tensor_variable": self.as_tensor_variable,
                        "pytensor.tensor.set_subtensor": self.set_subtensor}

    def as_tensor_variable(self, value):
        return value if isinstance(value, Value) else Value(self, np.asarray(value))

    def set_subtensor(self, part, y):
        return self.call("pytensor.tensor.set_subtensor", lambda x, i, y: plain_pt.set_subtensor(x[tuple(i)], y),
                         (*part.part_of, y), {})

    def text(self, value):
        return f'dtype("{value}")' if isinstance(value, str) and value in TYPES else super().text(value)

    def run(self, path, function, args, kwargs):
        """A function of PyTensor for this call alone, kept for others like it."""
        symbols = {}
        key = (path, id(self.mode), describe(args, symbols), describe(tuple(kwargs.items()), symbols))
        if key not in self.compiled:
            for v in symbols:
                symbols[v] = plain_pt.tensor(dtype=v.dtype, shape=v.shape)

            def symbol(v):
                """Constants of the record are such of the graph."""
                return symbols.get(v) or plain_pt.constant(v.array) if isinstance(v, Value) else v

            result = function(*record.mapped(args, symbol),
                              **{k: record.mapped(v, symbol) for k, v in kwargs.items()})
            self.compiled[key] = pytensor.function(list(symbols.values()), result, mode=self.mode,
                                                   on_unused_input="ignore")
        return self.compiled[key](*[v.array for v in symbols])


def describe(value, symbols):
    """What of an argument decides how it is compiled: of values that are no constants type and shape; they are added
    to symbols."""
    if isinstance(value, (list, tuple)):
        return tuple(describe(v, symbols) for v in value)
    if isinstance(value, slice):
        return ("slice", value.start, value.stop, value.step)
    if not isinstance(value, Value):
        return type(value), value
    if value.name is None and not value.made:
        return value.dtype, value.shape, value.array.tobytes()
    symbols.setdefault(value)
    return list(symbols).index(value), value.dtype, value.shape


def start(folder, values):
    """From now on calls are written down; to be called before the bindings are imported."""
    global pt, special
    record.active = Recorder(folder, values)
    pt, special = (record.Module(record.active, m, m.__name__) for m in (pt, special))
    record.operators(Value, {name: getattr(pt, function) for name, function in OPERATORS.items()})
