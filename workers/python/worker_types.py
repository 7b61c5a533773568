"""What a worker in Python and its backend hand to each other: element types, tensors and other values, operations, and
the exceptions that mean something.  It needs the standard library alone."""

import struct


class Unsupported(Exception):
    """The library, or its binding, does not have it."""


class Rejected(Exception):
    """The library refuses a model or an input."""


# code of ONNX: name, bits of an element, letter of the struct module ("": none)
DTYPES = {
    1: ("float32", 32, "f"), 2: ("uint8", 8, "B"), 3: ("int8", 8, "b"), 4: ("uint16", 16, "H"), 5: ("int16", 16, "h"),
    6: ("int32", 32, "i"), 7: ("int64", 64, "q"), 8: ("string", 0, ""), 9: ("bool", 8, "?"), 10: ("float16", 16, "e"),
    11: ("float64", 64, "d"), 12: ("uint32", 32, "I"), 13: ("uint64", 64, "Q"), 14: ("complex64", 64, ""),
    15: ("complex128", 128, ""), 16: ("bfloat16", 16, ""), 17: ("float8e4m3fn", 8, ""), 18: ("float8e4m3fnuz", 8, ""),
    19: ("float8e5m2", 8, ""), 20: ("float8e5m2fnuz", 8, ""), 21: ("uint4", 4, ""), 22: ("int4", 4, ""),
    23: ("float4e2m1", 4, ""), 24: ("float8e8m0", 8, ""), 25: ("uint2", 2, ""), 26: ("int2", 2, ""),
    27: ("float6e2m3", 6, ""), 28: ("float6e3m2", 6, ""),
}
CODES = {row[0]: code for code, row in DTYPES.items()}
# What numpy and ml_dtypes call some of them
CODES.update({"float8_e4m3fn": 17, "float8_e4m3fnuz": 18, "float8_e5m2": 19, "float8_e5m2fnuz": 20, "float4_e2m1fn": 23,
              "float8_e8m0fnu": 24, "object": 8, "str": 8})


class Tensor:
    """Packed elements, as ONNX raw_data: a dtype's name, a shape, and bytes (or a list of bytes, for strings).

    `data` of an input is a view of memory that is overwritten by the next request."""

    def __init__(self, dtype, shape, data):
        self.dtype, self.shape, self.data = dtype, tuple(shape), data

    @classmethod
    def of(cls, dtype, shape, numbers):
        """From a flat list of numbers."""
        numbers = list(numbers)
        letter = DTYPES[CODES[dtype]][2]
        return cls(dtype, shape, struct.pack("<%d%s" % (len(numbers), letter), *numbers))

    @property
    def count(self):
        n = 1
        for d in self.shape:
            n *= d
        return n

    def numbers(self):
        """A flat list of numbers (strings: of bytes)."""
        if self.dtype == "string":
            return list(self.data)
        letter = DTYPES[CODES[self.dtype]][2]
        if not letter:
            raise Unsupported("elements of type %s" % self.dtype)
        return list(struct.unpack("<%d%s" % (self.count, letter), self.data))

    def numpy(self):
        """An array of numpy over the same memory; types that numpy lacks need the module ml_dtypes."""
        import numpy

        if self.dtype == "string":
            items = [s.decode("utf-8", "surrogateescape") for s in self.data]
            return numpy.array(items, dtype=object).reshape(self.shape)
        return numpy.frombuffer(self.data, dtype=numpy_type(self.dtype)).reshape(self.shape)


def numpy_type(dtype):
    import numpy

    if hasattr(numpy, dtype) or dtype == "bool":
        return numpy.dtype(dtype)
    try:
        import ml_dtypes
    except ImportError:
        raise Unsupported("elements of type %s, which numpy does not have" % dtype) from None
    for name, code in CODES.items():
        if code == CODES[dtype] and hasattr(ml_dtypes, name) and DTYPES[code][1] >= 8:
            return numpy.dtype(getattr(ml_dtypes, name))
    raise Unsupported("elements of type %s, which numpy does not have" % dtype)


class Optional:
    """A value or None."""

    def __init__(self, value=None):
        self.value = value


class Sequence(list):
    """A list that knows its element type even when it is empty."""

    def __init__(self, items=(), dtype="float32"):
        super().__init__(items)
        self.dtype = dtype


class Parameter:
    def __init__(self, name, type="", default="", allowed=(), is_input=False, optional=False):
        self.name, self.type, self.default, self.allowed = name, type, default, tuple(allowed)
        self.is_input, self.optional = is_input, optional


class Operation:
    def __init__(self, name, parameters=(), outputs=1, doc=""):
        self.name, self.parameters, self.outputs, self.doc = name, tuple(parameters), outputs, doc
