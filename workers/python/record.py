"""What a library is told, written down as Python: the record of src/backends/bind/record.h, for workers in Python.

A worker with the option record=FOLDER runs its bindings with modules that write down each of their calls (Module), on
tensors that know their place in the record (Value).  FOLDER/calls.py gets one line for each call:

    v0 = take("x", inputs["x"], "float32")
    v1 = take("w", constants["c0"], "float32")
    v2 = op("jax.numpy.add", v0, v1)
    made(v2, "float32")
    give("y", v2)

Tensors that no call made lie beside it, c0.npy for constants["c0"]; with the option values=1 all do, v2.npy for v2, and
after a call there stands what came of it.  A line is in the file before its call runs, so that the last one tells what
a process died of.  Only calls that the bindings make themselves are written, not what the library does inside of them.
"""

import enum
import json
import math
import os
import types

import numpy as np

from worker_types import CODES, DTYPES

active = None  # the Recorder of this process; None: nothing is written down


def type_name(dtype):
    """The name of a numpy type as assay has it."""
    return DTYPES[CODES[np.dtype(dtype).name]][0]


def storable(array):
    """The array in a type that .npy files have."""
    if array.dtype.name in ("int2", "int4"):
        return array.astype(np.int8)
    if array.dtype.name in ("uint2", "uint4"):
        return array.astype(np.uint8)
    return array if hasattr(np, array.dtype.name) else array.astype(np.float32)


class Value:
    """A tensor of the library; subclasses have its operators and methods, as calls of `recorder`."""

    __array_ufunc__ = None  # numpy leaves operators to this class
    __hash__ = object.__hash__

    def __init__(self, recorder, array, name=None, is_input=False, number=None):
        self.recorder, self.array, self.name, self.is_input = recorder, array, name, is_input
        self.made = self.written = number is not None  # by a call; its line is in the record
        self.number = recorder.next_number() if number is None else number

    shape = property(lambda self: tuple(self.array.shape))
    ndim = property(lambda self: len(self.array.shape))
    dtype = property(lambda self: self.array.dtype)

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.array, dtype)


class Function:
    """A function of the library that writes down its calls; as an argument of another it stands for itself."""

    def __init__(self, recorder, path, function):
        self.recorder, self.path, self.function = recorder, path, function

    def __call__(self, *args, **kwargs):
        return self.recorder.call(self.path, self.function, args, kwargs)


class Module:
    """A module of the library whose functions write down their calls."""

    def __init__(self, recorder, module, path):
        self.recorder, self.module, self.path = recorder, module, path

    def __getattr__(self, name):
        found, path = getattr(self.module, name), f"{self.path}.{name}"
        if path in self.recorder.special:
            return self.recorder.special[path]
        if isinstance(found, types.ModuleType):
            return Module(self.recorder, found, path)
        if not callable(found) or isinstance(found, (type, enum.EnumMeta)):
            return found
        return Function(self.recorder, path, found)


def mapped(value, fn):
    """An argument with fn done to all that is in it."""
    if isinstance(value, (list, tuple)):
        return type(value)(mapped(v, fn) for v in value)
    return fn(value)


class Recorder:
    """Writes calls.py.  A subclass says what a Value is and how a call of the library is run."""

    value = Value
    special = {}  # what stands in place of a function: "jax.numpy.asarray"

    def __init__(self, folder, values):
        self.folder, self.values = folder, values
        self.file, self.numbers, self.constants = None, 0, 0

    def begin(self):
        """Forgets what was written: another run begins."""
        if self.file:
            self.file.close()
        self.file, self.numbers, self.constants = open(os.path.join(self.folder, "calls.py"), "w"), 0, 0

    def next_number(self):
        self.numbers += 1
        return self.numbers - 1

    def put(self, line):
        self.file.write(f"    {line}\n")
        self.file.flush()

    def save(self, name, array):
        np.save(os.path.join(self.folder, f"{name}.npy"), storable(array))

    # -- tensors

    def take(self, name, array, is_input):
        """An input of the graph or an initializer as a Value; what is no tensor of numbers stays as it is."""
        if isinstance(array, (list, Value)) or not hasattr(array, "dtype") or array.dtype.kind in "OSU":
            return array
        return self.value(self, array, name, is_input)

    def adopt(self, value):
        """Arrays of numpy become constants of the record."""
        return self.value(self, value) if isinstance(value, (np.ndarray, np.generic)) else value

    def elements(self, array):
        """The elements on the host; None: they are not known."""
        return np.asarray(array)

    def write_source(self, value):
        value.written = True
        elements, where = self.elements(value.array), f"inputs[{json.dumps(value.name)}]"
        if not value.is_input:
            where = f'constants["c{self.constants}"]'
            self.save(f"c{self.constants}", elements)
            self.constants += 1
        if self.values and elements is not None:
            self.save(f"v{value.number}", elements)
        name = "None" if value.name is None else json.dumps(value.name)
        self.put(f'v{value.number} = take({name}, {where}, "{type_name(value.array.dtype)}")')

    def make(self, number, array):
        """What came of a call."""
        elements = self.elements(array) if self.values else None
        if elements is not None:
            self.save(f"v{number}", elements)
            self.put(f'made(v{number}, "{type_name(elements.dtype)}")')
        return self.value(self, array, number=number)

    def give(self, name, value):
        """An output of the graph, as the library has it."""
        value = self.adopt(value)
        if isinstance(value, Value):
            self.put(f"give({json.dumps(name)}, {self.text(value)})")
        return mapped(value, lambda v: v.array if isinstance(v, Value) else v)

    # -- calls

    def text(self, value):
        """An argument, as Python reads it."""
        if isinstance(value, Value):
            if not value.written:
                self.write_source(value)
            return f"v{value.number}"
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(self.text(v) for v in value)}]"
        if isinstance(value, slice):
            return f"slice({value.start}, {value.stop}, {value.step})"
        if isinstance(value, float) and not math.isfinite(value):
            return f'float("{value}")'
        if value is None or isinstance(value, (bool, int, float)):
            return repr(value)
        if isinstance(value, (np.dtype, type)):
            return f'dtype("{type_name(value)}")'
        if isinstance(value, Function):
            return json.dumps(value.path)
        return json.dumps(value.name.lower() if isinstance(value, enum.Enum) else str(value))

    def call(self, path, function, args, kwargs):
        """Writes a call down, runs it, and writes down what came of it."""
        args, kwargs = mapped(args, self.adopt), {k: mapped(v, self.adopt) for k, v in kwargs.items()}
        words = [json.dumps(path), *map(self.text, args), *(f"{k}={self.text(v)}" for k, v in kwargs.items())]
        number = self.next_number()
        self.put(f"v{number} = op({', '.join(words)})")
        result = self.run(path, function, args, kwargs)
        if not isinstance(result, (list, tuple)):
            return self.make(number, result)
        parts = []
        for i, part in enumerate(result):
            place = self.next_number()
            self.put(f"v{place} = v{number}[{i}]")
            parts.append(self.make(place, part))
        return type(result)(parts)

    def run(self, path, function, args, kwargs):
        raise NotImplementedError

    def index(self, value, index):
        """An index of a tensor, with one item for each axis."""
        index = list(index) if isinstance(index, tuple) else [index]
        used = sum(i is not None and i is not Ellipsis for i in index)
        rest = [slice(None)] * (value.ndim - used)
        at = next((i for i, item in enumerate(index) if item is Ellipsis), None)
        index = index + rest if at is None else index[:at] + rest + index[at + 1:]
        return [int(i) if isinstance(i, np.integer) else i for i in index]


def operators(cls, recorded):
    """Gives a class of values the operators of Python, as calls: {"add": function of two}."""
    def binary(function):
        return lambda self, other: function(self, other)

    for name, function in recorded.items():
        if name in ("neg", "invert", "abs"):
            setattr(cls, f"__{name}__", lambda self, function=function: function(self))
            continue
        setattr(cls, f"__{name}__", binary(function))
        if name not in ("lt", "le", "gt", "ge", "eq", "ne"):
            setattr(cls, f"__r{name}__", lambda self, other, function=function: function(other, self))
