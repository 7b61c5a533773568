"""JAX as its bindings see it: jax, jnp and lax as they are, or, when a record is wanted (record.py), with each call
written down under its public name: jax.numpy.add, jax.lax.pad, jax.nn.softmax.

Operators and methods of arrays are written as the functions of jax.numpy that they stand for; x[index] as
op("getitem", x, index) and x.at[index].add(y) as op("at.add", x, index, y), with one item in index for each axis.
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import jax  # noqa: E402  the flags above must be there first
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402

import record  # noqa: E402

jax.config.update("jax_enable_x64", True)                      # ONNX has 64-bit types
jax.config.update("jax_default_matmul_precision", "highest")   # float32 is float32, on GPUs too
jax.config.update("jax_numpy_rank_promotion", "allow")

OPERATORS = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "power",
             "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "neg": "negative",
             "invert": "bitwise_not", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
             "eq": "equal", "ne": "not_equal"}
KEPT_RUNS = 50  # JAX keeps what it compiled, about 4 MB for each case
plain_jax, plain_jnp = jax, jnp


class Value(record.Value):
    size = property(lambda self: self.array.size)
    T = property(lambda self: jnp.transpose(self))
    at = property(lambda self: At(self))

    def __getitem__(self, index):
        r = self.recorder
        return r.call("getitem", lambda x, i: x[tuple(i)], (self, r.index(self, index)), {})

    def reshape(self, *shape):
        return jnp.reshape(self, shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape)

    def transpose(self, *axes):
        return jnp.transpose(self, axes)

    def astype(self, dtype):
        return jnp.astype(self, dtype)

    def squeeze(self, axis):
        return jnp.squeeze(self, axis)

    def min(self):
        return jnp.min(self)

    def max(self):
        return jnp.max(self)


class At:
    """x.at[index].add(y)"""

    def __init__(self, value, index=None):
        self.value, self.index = value, index

    def __getitem__(self, index):
        return At(self.value, self.value.recorder.index(self.value, index))

    def __getattr__(self, how):
        def update(y):
            return self.value.recorder.call(f"at.{how}", lambda x, i, y: getattr(x.at[tuple(i)], how)(y),
                                            (self.value, self.index, y), {})
        return update


class Recorder(record.Recorder):
    value = Value

    def __init__(self, folder, values):
        super().__init__(folder, values)
        self.runs = 0
        self.special = {"jax.numpy.asarray": self.asarray}
        for name in ("issubdtype", "promote_types", "shape"):
            self.special[f"jax.numpy.{name}"] = getattr(plain_jnp, name)

    def begin(self):
        super().begin()
        self.runs += 1
        if self.runs % KEPT_RUNS == 0:
            plain_jax.clear_caches()

    def asarray(self, value, dtype=None):
        """What is no array of JAX yet becomes one; numbers become constants of the record."""
        if isinstance(value, Value):
            value.array = plain_jnp.asarray(value.array)
            return value if dtype is None else value.astype(dtype)
        return Value(self, plain_jnp.asarray(value, dtype))

    def elements(self, array):
        return None if isinstance(array, plain_jax.core.Tracer) else super().elements(array)

    def run(self, path, function, args, kwargs):
        def plain(v):
            return v.array if isinstance(v, Value) else v.function if isinstance(v, record.Function) else v

        return function(*record.mapped(args, plain), **{k: record.mapped(v, plain) for k, v in kwargs.items()})


def start(folder, values):
    """From now on calls are written down; to be called before the bindings are imported."""
    global jax, jnp, lax
    record.active = Recorder(folder, values)
    jax, jnp, lax = (record.Module(record.active, m, m.__name__) for m in (jax, jnp, lax))
    record.operators(Value, {name: getattr(jnp, function) for name, function in OPERATORS.items()})
