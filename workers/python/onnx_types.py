"""Element types of ONNX as numpy types, and their packed bytes (raw_data) as arrays.

Types that numpy does not have come from ml_dtypes, where that is installed.
"""

import numpy as np

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

FLOAT, STRING, INT64, BOOL, FLOAT16, DOUBLE, BFLOAT16 = 1, 8, 7, 9, 10, 11, 16

# TensorProto.DataType -> numpy's name, or ml_dtypes'
NAMES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool", 10: "float16",
         11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16",
         17: "float8_e4m3fn", 18: "float8_e4m3fnuz", 19: "float8_e5m2", 20: "float8_e5m2fnuz", 21: "uint4", 22: "int4",
         23: "float4_e2m1fn", 24: "float8_e8m0fnu", 25: "uint2", 26: "int2"}
BITS = {21: 4, 22: 4, 23: 4, 25: 2, 26: 2}  # of types that share bytes
AS_BITS = (10, 16, 17, 18, 19, 20, 24)      # typed fields of TensorProto hold their bits
SIGNED = (22, 26)


class NoSuchType(ValueError):
    """An element type that this installation cannot represent."""


def numpy_type(code):
    name = NAMES.get(code)
    if name is None:
        raise NoSuchType(f"element type {code}")
    found = getattr(ml_dtypes, name, None) or getattr(np, name if name != "bool" else "bool_", None)
    if found is None:
        raise NoSuchType(f"element type {name} is not there")
    return np.dtype(found)


def onnx_type(dtype):
    for code, name in NAMES.items():
        if dtype.name == name:
            return code
    if dtype.kind in "OSU":
        return STRING
    raise NoSuchType(f"element type {dtype.name} has no counterpart in ONNX")


def unpack(code, data, count):
    """`count` elements from packed bytes, as an array of its own."""
    dtype = numpy_type(code)
    if code not in BITS:
        if len(data) != count * dtype.itemsize:
            raise ValueError(f"{len(data)} bytes for {count} elements of {dtype.name}")
        return np.frombuffer(data, dtype=dtype.newbyteorder("<")).astype(dtype)
    bits = BITS[code]
    per_byte = 8 // bits
    if len(data) != -(-count // per_byte):
        raise ValueError(f"{len(data)} bytes for {count} elements of {dtype.name}")
    octets = np.frombuffer(data, dtype=np.uint8)
    parts = np.stack([octets >> (bits * i) & ((1 << bits) - 1) for i in range(per_byte)], axis=-1).reshape(-1)[:count]
    if code in SIGNED:
        half = 1 << (bits - 1)
        return ((parts.astype(np.int8) ^ half) - half).astype(dtype)
    return parts.astype(np.uint8).view(dtype) if dtype.kind not in "iu" else parts.astype(dtype)


def pack(array):
    """The packed bytes of an array, as raw_data has them."""
    code = onnx_type(array.dtype)
    if code not in BITS:
        return np.ascontiguousarray(array).tobytes()
    bits = BITS[code]
    per_byte = 8 // bits
    flat = np.ascontiguousarray(array).reshape(-1)
    flat = flat.astype(np.int8).view(np.uint8) if flat.dtype.kind in "iu" or code in SIGNED else flat.view(np.uint8)
    flat = np.concatenate([flat, np.zeros(-flat.size % per_byte, dtype=np.uint8)]) & ((1 << bits) - 1)
    shifts = (np.arange(per_byte) * bits).astype(np.uint8)
    return np.bitwise_or.reduce(flat.reshape(-1, per_byte) << shifts, axis=1).astype(np.uint8).tobytes()
