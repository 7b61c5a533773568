"""MXNet's Python package, and what claims about it share."""

import os
import sys
import warnings

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ["MXNET_ENGINE_TYPE"] = "NaiveEngine"  # no threads: a call has ended when it returns
warnings.simplefilter("ignore")

from common import Died, Hung, Refused, array, right, verdict, wrong  # noqa: E402,F401

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402

mx.npx.set_np()


def gradient(f, *xs, kind="float64", head=None):
    """A call that gives the gradients of f's result, weighted by `head`, by each of xs (mx.np arrays)."""
    def call():
        given = [mx.np.array(x, dtype=kind) for x in xs]
        for x in given:
            x.attach_grad()
        with mx.autograd.record():
            y = f(*given)
        y.backward(None if head is None else mx.np.array(head, dtype=kind))
        return [x.grad.asnumpy() for x in given]
    return call


def slope(f, *xs, step=1e-6):
    """The same by central differences in NumPy: f takes and gives NumPy arrays here; its results are summed."""
    out = []
    for k, x in enumerate(xs):
        x, d = np.asarray(x, float), np.zeros(np.shape(x))
        for i in np.ndindex(*x.shape):
            e = np.zeros(x.shape)
            e[i] = step
            there, back = ([v if j != k else x + s * e for j, v in enumerate(xs)] for s in (1, -1))
            d[i] = (np.sum(f(*there)) - np.sum(f(*back))) / (2 * step)
        out.append(d)
    return tuple(out)
