"""PyTensor as its bindings see it: pt and special as they are, or, when a record is wanted (record.py), with each call
compiled and run by itself, and written down under its public name: pytensor.tensor.add, pytensor.tensor.special.softmax.

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
    value, mode = Value, None

    def __init__(self, folder, values):
        super().__init__(folder, values)
        self.special = {"pytensor.tensor.as_tensor_variable": self.as_tensor_variable,
                        "pytensor.tensor.set_subtensor": self.set_subtensor}

    def as_tensor_variable(self, value):
        return value if isinstance(value, Value) else Value(self, np.asarray(value))

    def set_subtensor(self, part, y):
        return self.call("pytensor.tensor.set_subtensor", lambda x, i, y: plain_pt.set_subtensor(x[tuple(i)], y),
                         (*part.part_of, y), {})

    def text(self, value):
        return f'dtype("{value}")' if isinstance(value, str) and value in TYPES else super().text(value)

    def run(self, function, args, kwargs):
        """A function of PyTensor for this call alone; constants of the record are such of its graph."""
        symbols = {}

        def symbol(v):
            if not isinstance(v, Value):
                return v
            if v.name is None and not v.made:
                return plain_pt.constant(v.array)
            if v not in symbols:
                symbols[v] = plain_pt.tensor(dtype=v.dtype, shape=v.shape)
            return symbols[v]

        result = function(*record.mapped(args, symbol), **{k: record.mapped(v, symbol) for k, v in kwargs.items()})
        compiled = pytensor.function(list(symbols.values()), result, mode=self.mode, on_unused_input="ignore")
        return compiled(*[v.array for v in symbols])


def start(folder, values):
    """From now on calls are written down; to be called before the bindings are imported."""
    global pt, special
    record.active = Recorder(folder, values)
    pt, special = (record.Module(record.active, m, m.__name__) for m in (pt, special))
    record.operators(Value, {name: getattr(pt, function) for name, function in OPERATORS.items()})
