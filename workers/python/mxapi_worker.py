"""MXNet's documented functions as a backend of equiv: mx.np, mx.np.linalg, mx.npx, by name.

Options: mode=..., one of Backend.modes; threads=1, which the environment sees to.
"""

import os
import tempfile
import types
import warnings

import forms
from worker_types import Unsupported


class Backend(forms.Backend):
    library = "mxnet"
    elements = "mx.np"  # has the functions of single elements

    def open(self, folder, options):
        warnings.filterwarnings("ignore")
        import mxnet
        import numpy

        mxnet.npx.set_np()
        self.mx, self.numpy, self.space = mxnet, numpy, {"mx": mxnet}
        self.symbols = {"mx": types.SimpleNamespace(np=mxnet.sym.np, npx=mxnet.sym.npx)}
        self.plain = {"mx": types.SimpleNamespace(np=numpy)}
        self.reopen(options)
        return mxnet.__version__

    def names(self):
        mx = self.mx
        places = [(mx.np, "mx.np"), (mx.np.linalg, "mx.np.linalg"), (mx.npx, "mx.npx")]
        return {name: text for name, text in forms.public_of(places, forms.is_function).items()
                if name != "mx.np.get_include"}

    def tensor(self, array):
        if array.dtype.kind == "c":
            raise Unsupported("MXNet has no complex numbers")
        if array.dtype.name in ("int16", "uint16", "uint32", "uint64"):
            raise Unsupported(f"MXNet has no {array.dtype}")
        return self.mx.np.array(array, dtype=array.dtype)

    def is_array(self, value):
        return isinstance(value, (self.mx.np.ndarray, self.numpy.ndarray, self.numpy.generic))

    def array(self, value):
        return value.asnumpy() if isinstance(value, self.mx.np.ndarray) else self.numpy.asarray(value)


# ---- modes: the same call in another way ---------------------------------------------------------------------------


def eager(b, form, tensors):
    return b.function(form)(*tensors)


def block(b, form):
    """A block whose forward pass is the form, over symbols."""
    call = forms.Form(form.text, b.symbols).function()

    class Call(b.mx.gluon.HybridBlock):
        def hybrid_forward(self, F, *tensors):
            result = call(*tensors)
            return tuple(result) if isinstance(result, list) else result
    return Call()


def hybrid(b, form, tensors):
    """A block, hybridized: one graph for all of the form."""
    if not tensors:
        raise Unsupported("no tensor")

    def made():
        made = block(b, form)
        made.hybridize()
        return made
    return b.kept((form.text, tuple((str(t.dtype), t.shape) for t in tensors)), made)(*tensors)


def saved(b, form, tensors):
    """A hybridized block through the files that it exports, a graph and parameters, read as a SymbolBlock."""
    if not tensors:
        raise Unsupported("no tensor")

    def again():
        made = block(b, form)
        made.hybridize()
        made(*tensors)
        names = [f"data{i}" for i in range(len(tensors))] if len(tensors) > 1 else ["data"]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m")
            made.export(path)
            parameters = path + "-0000.params"
            return b.mx.gluon.SymbolBlock.imports(path + "-symbol.json", names,
                                                  parameters if os.path.exists(parameters) else None)
    return b.kept((form.text, tuple((str(t.dtype), t.shape) for t in tensors)), again)(*tensors)


def static(b, form, tensors):
    """As hybrid, with memory that is planned once and used again: the second run counts."""
    if not tensors:
        raise Unsupported("no tensor")
    made = block(b, form)
    made.hybridize(static_alloc=True, static_shape=True)
    made(*tensors)
    return made(*tensors)


def numpy(b, form, tensors):
    """By NumPy, whose functions those of mx.np are."""
    if "mx.npx" in form.call:
        raise Unsupported("NumPy has no functions of mx.npx")
    try:
        call = forms.Form(form.text, b.plain).function()
        return call(*[t.asnumpy() for t in tensors])
    except AttributeError as e:
        raise Unsupported(str(e)) from None


def recorded(b, form, tensors):
    """The inputs are those of a graph that autograd records."""
    for t in tensors:
        t.attach_grad()
    with b.mx.autograd.record(train_mode=False):  # else dropout drops
        return b.function(form)(*tensors)


def backward(b, form, tensors, requirement, share):
    """The derivative along the direction of two backward passes, each with a share of the heads."""
    mx = b.mx
    moved = [t for t in tensors if b.numpy.dtype(t.dtype).kind == "f"]
    f = b.function(form)
    if not moved:
        raise Unsupported("no tensor of floats")
    for t in moved:
        t.attach_grad(requirement)
    for _ in range(2):
        with mx.autograd.record(train_mode=False):
            results = [r for r in forms.leaves(f(*tensors), b.is_array)
                       if isinstance(r, mx.np.ndarray) and b.numpy.dtype(r.dtype).kind == "f"]
        if not results:
            raise Unsupported("no result of floats")
        heads = [b.head(r.shape, k) for k, r in enumerate(results)]
        forms.check_value(sum(float((r.asnumpy() * h).sum()) for r, h in zip(results, heads)))
        mx.autograd.backward(results, [mx.np.array(h * share, dtype=r.dtype) for r, h in zip(results, heads)])
    return sum(float((t.grad.asnumpy() * b.along(t.shape, i)).sum()) for i, t in enumerate(moved))


def reverse(b, form, tensors):
    """The second pass writes over what the first has left."""
    return backward(b, form, tensors, "write", 1)


def accumulated(b, form, tensors):
    """Each pass adds a half of the gradient."""
    return backward(b, form, tensors, "add", 0.5)


Backend.modes = {"eager": eager, "hybrid": hybrid, "static": static, "numpy": numpy, "recorded": recorded,
                 "saved": saved, "reverse": reverse, "accumulated": accumulated}
