"""One call of a Keras layer while it is made into ONNX nodes: what the functions of the tables keras_to_*.py get.

A function takes a Call and gives the tensor, or the list of tensors, that the layer gives.  Layouts and meanings are
those of Keras's documentation.  What is not known exactly is an error, never a guess.
"""

import numpy as np

from keras_file import FileError

FLOAT = np.dtype(np.float32)


def product(sizes):
    """Of sizes; None where one is open."""
    total = 1
    for d in sizes:
        total = None if d is None or total is None else total * d
    return total


def perm_to_first(rank):
    return [0, rank - 1, *range(1, rank - 1)]


def perm_to_last(rank):
    return [0, *range(2, rank), 1]


class Call:
    def __init__(self, builder, name, row, config, weights, args, kwargs, old):
        self.builder, self.name, self.row, self.config, self.weights = builder, name, row, config, weights
        self.args, self.kwargs, self.old, self.made = args, kwargs, old, 0

    def fail(self, why):
        raise FileError(f"layer '{self.name}' ({self.row.name}): {why}")

    # ---- what the layer is given -------------------------------------------------------------------------------------

    def get(self, key, default=None):
        value = self.config.get(key, default)
        return default if value is None else value

    def inputs(self):
        """All tensors of the first argument."""
        first = self.args[0] if self.args else None
        found = first if isinstance(first, list) else [first]
        return [self.tensor(x) for x in found]

    def tensor(self, x):
        if not hasattr(x, "shape") or not hasattr(x, "name"):
            self.fail("an input is not a tensor")
        return x if self.row.any_type or x.dtype == FLOAT else self.cast(x, FLOAT)

    def x(self):
        found = self.inputs()
        if len(found) != 1:
            self.fail(f"it has {len(found)} inputs")
        return found[0]

    def check_kwargs(self):
        for key, value in self.kwargs.items():
            # the model is called with training=False, which goes before what a layer was called with
            if value is not None and value is not False and key != "training" and key not in self.row.kwargs:
                self.fail(f"the argument {key} is not supported")

    def take(self, n, below=""):
        """Weights, as float32."""
        found = self.weights.take(below, n)
        return [w.astype(FLOAT) if w.dtype.kind == "f" else w for w in found]

    def sizes(self, key, n, default=None):
        """An attribute of n whole numbers, or one for all."""
        value = self.get(key, default)
        value = [value] * n if isinstance(value, int) else value
        if not isinstance(value, (list, tuple)) or len(value) != n or \
                not all(isinstance(v, int) and not isinstance(v, bool) for v in value):
            self.fail(f"{key} is {value}")
        return list(value)

    def axis(self, value, rank):
        if isinstance(value, (list, tuple)) and len(value) == 1:
            value = value[0]
        if not isinstance(value, int) or not -rank <= value < rank:
            self.fail(f"axis {value} of a tensor of rank {rank}")
        return value % rank

    def axes(self, value, rank):
        value = value if isinstance(value, (list, tuple)) else [value]
        return sorted({self.axis(v, rank) for v in value})

    def known(self, x, axis):
        if x.shape[axis] is None:
            self.fail(f"the size of axis {axis} must be known")
        return x.shape[axis]

    def channels_first(self):
        return self.get("data_format", "channels_last") == "channels_first"

    # ---- what it becomes ---------------------------------------------------------------------------------------------

    def _fresh(self, kind):
        self.made += 1
        return f"{self.name}/{kind}_{self.made}"

    def ops(self, op, inputs, shapes, dtype=FLOAT, **attributes):
        """A node with several outputs; None for one that is not wanted."""
        return self.builder.node(self._fresh(op), op, inputs, shapes, dtype, attributes)

    def op(self, op, inputs, shape, dtype=None, **attributes):
        first = next(x for x in inputs if x is not None)
        return self.ops(op, inputs, [shape], dtype or first.dtype, **attributes)[0]

    def same(self, op, x, *others, **attributes):
        """A node whose output has the shape of x."""
        return self.op(op, [x, *others], x.shape, x.dtype, **attributes)

    def constant(self, value, what="const", dtype=FLOAT):
        return self.builder.constant(self._fresh(what), np.asarray(value, dtype))

    def whole(self, values):
        return self.constant(values, "sizes", np.int64)

    def cast(self, x, dtype):
        code = {"float32": 1, "int32": 6, "int64": 7, "bool": 9}[np.dtype(dtype).name]
        return self.op("Cast", [x], x.shape, np.dtype(dtype), to=code)

    def transpose(self, x, perm):
        if list(perm) == list(range(x.rank)):
            return x
        return self.op("Transpose", [x], [x.shape[p] for p in perm], perm=list(perm))

    def reshape(self, x, shape):
        """To sizes of which the first may be open, and one other where it follows from the input."""
        open_axes = [i for i, d in enumerate(shape) if d is None]
        to = [-1 if d is None else d for d in shape]
        if len(open_axes) > 1:
            if open_axes[0] != 0 or len(open_axes) > 2 or x.shape[0] is not None:
                self.fail("too many sizes are open")
            to[0] = 0  # the batch stays as it is
        return self.op("Reshape", [x, self.whole(to)], shape)

    def broadcast(self, op, a, b):
        """A node of two inputs, by the rules of NumPy."""
        rank = max(a.rank, b.rank)
        pairs = zip((1,) * (rank - a.rank) + a.shape, (1,) * (rank - b.rank) + b.shape)
        shape = []
        for m, n in pairs:
            if m is not None and n is not None and m != n and 1 not in (m, n):
                self.fail(f"shapes {a.shape} and {b.shape} do not fit together")
            shape.append(n if m == 1 else m if n == 1 or n is None else n)
        return self.op(op, [a, b], shape, a.dtype)

    def reduce(self, op, x, axes, keepdims=True):
        axes = self.axes(list(axes), x.rank)
        shape = [1 if i in axes else d for i, d in enumerate(x.shape)] if keepdims else \
            [d for i, d in enumerate(x.shape) if i not in axes]
        if op == "ReduceSum":
            return self.op(op, [x, self.whole(axes)], shape, keepdims=int(keepdims))
        return self.op(op, [x], shape, axes=axes, keepdims=int(keepdims))

    def part(self, x, axis, start, end, step=1):
        """A slice along one axis; sizes are counted where they are known."""
        d = x.shape[axis]
        size = None if d is None else len(range(*slice(start, end, step).indices(d)))
        if size is not None and size < 1:
            self.fail(f"nothing is left of axis {axis}")
        limit = np.iinfo(np.int64)
        end = (limit.max if step > 0 else limit.min) if end is None else end
        start = (0 if step > 0 else limit.max) if start is None else start
        shape = [size if i == axis else n for i, n in enumerate(x.shape)]
        return self.op("Slice", [x, *(self.whole([v]) for v in (start, end, axis, step))], shape)

    def concat(self, tensors, axis):
        axis = self.axis(axis, tensors[0].rank)
        if len({t.rank for t in tensors}) != 1:
            self.fail("inputs have different ranks")
        total = 0
        for t in tensors:
            total = None if total is None or t.shape[axis] is None else total + t.shape[axis]
        shape = [total if i == axis else d for i, d in enumerate(tensors[0].shape)]
        return self.op("Concat", tensors, shape, axis=axis)


class Row:
    """One class of layers: how it becomes nodes, which arguments beside the inputs it takes, and whether its inputs
    keep their element types."""

    def __init__(self, run, kwargs=(), any_type=False):
        self.run, self.kwargs, self.any_type = run, kwargs, any_type
        self.name = ""
