#!/usr/bin/env python3
"""The MXNet part of a finding's script calls the package as its versions want to be called: a stand-in checks that."""

import ctypes
import os
import sys
import types
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PART = os.path.join(ROOT, "src", "libraries", "equiv", "mxnet.py")


class NDArray:
    pass


class Symbol:
    pass


def take(handle, inputs, keys, values):
    return ctypes.c_void_p(handle).value, inputs, dict(zip(keys, values))


def invoke_1_6(handle, ndargs, keys, vals, out, is_np_op):
    return take(handle, ndargs, keys, vals)


def invoke_1_9(handle, ndargs, keys, vals, out, is_np_op, output_is_list):
    return take(handle, ndargs, keys, vals)


def creator(handle, args, kwargs, keys, vals, name, is_np_op):
    return take(handle, args, keys, vals)


def find(name, handle):
    handle._obj.value = 4711 if name == b"take" else 0
    return 0


def module(name, **names):
    made = sys.modules[name] = types.ModuleType(name)
    made.__dict__.update(names)
    return made


def part(invoke):
    """The part's functions, over a package whose imperative call is `invoke`."""
    base = module("mxnet.base", check_call=lambda status: None, c_str=str.encode,
                  _LIB=types.SimpleNamespace(NNGetOpHandle=find))
    inner = module("mxnet._ctypes", ndarray=types.SimpleNamespace(_imperative_invoke=invoke),
                   symbol=types.SimpleNamespace(_symbol_creator=creator))
    module("mxnet", base=base, _ctypes=inner, nd=types.SimpleNamespace(NDArray=NDArray),
           sym=types.SimpleNamespace(Symbol=Symbol), util=types.SimpleNamespace(set_np_shape=lambda on: None))
    names = {"os": os}
    with open(PART, encoding="utf-8") as f:
        exec(f.read(), names)
    return names


class Calls(unittest.TestCase):
    def check(self, invoke, kind):
        given = kind()
        handle, inputs, settings = part(invoke)["op"]("take", given, axis=1, shape=[2, 3])
        self.assertEqual(handle, 4711)
        self.assertEqual(inputs, [given])
        self.assertEqual(settings, {"axis": "1", "shape": "(2, 3)"})

    def test_imperative(self):
        self.check(invoke_1_6, NDArray)
        self.check(invoke_1_9, NDArray)

    def test_symbolic(self):
        self.check(invoke_1_9, Symbol)


if __name__ == "__main__":
    unittest.main()
