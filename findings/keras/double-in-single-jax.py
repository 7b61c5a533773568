"""
title: keras.ops.mean, tanh, norm and var of float64 with JAX are computed in float32; mean calls the result float64.
library: keras
shows: 3.15.1
class: precision
condition: With JAX and its 64-bit types enabled.  sum, matmul, sigmoid and std keep float64; with NumPy mean does, too.
rule: JAX itself computes all of these in float64, and no document of Keras says that some functions do not.
documented: docs/backends.md, Keras
tracker: https://github.com/keras-team/keras/issues/23223 (closed; seen there with PyTorch, by the same result_type)
"""
import os
import sys

from library import right, verdict, with_keras, wrong

if "jax" in sys.modules:
    raise RuntimeError("JAX was imported before, without its types of 64 bits")  # by preload.py
os.environ["JAX_ENABLE_X64"] = "1"
NUMBERS = [0.1, 0.2, 0.4]


def error(name, expected):
    """How far the result is off: below 1e-15 for float64."""
    def call(ops, np):
        given = ops.convert_to_tensor(np.array(NUMBERS, "float64"))
        return np.abs(np.asarray(getattr(ops, name)(given), "float64") - expected(np, np.array(NUMBERS))).max() > 1e-12
    return call


wrong("mean", with_keras("jax", error("mean", lambda np, x: x.mean())), [0], seen=[1])
wrong("tanh", with_keras("jax", error("tanh", lambda np, x: np.tanh(x))), [0], seen=[1])
wrong("norm", with_keras("jax", error("norm", lambda np, x: np.sqrt((x * x).sum()))), [0], seen=[1])
right("sum", with_keras("jax", error("sum", lambda np, x: x.sum())), [0])
right("sigmoid", with_keras("jax", error("sigmoid", lambda np, x: 1 / (1 + np.exp(-x)))), [0])
verdict()
