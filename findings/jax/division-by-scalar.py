"""
title: An array divided by a scalar is multiplied by its inverse: -2.5 / float32(5 / 255) is -127.5, not -127.49999.
library: jax
shows: 0.10.2
class: limit
condition: An array of two elements or more and a scalar, compiled or not, on the CPU: off by one unit in the last
    place.
    One element, and two arrays, are right.
rule: IEEE 754 rounds a quotient once; XLA does not promise that.
documented: docs/methods/fuzz.md, Found; data/quirks.tsv, DynamicQuantizeLinear
tracker: none found; https://github.com/tensorflow/tensorflow/issues/24061 asks XLA for it
"""
import numpy as np

from library import array, right, verdict, with_jax, wrong

s = np.float32(5 / 255)
x = np.array([-2.5, 1], np.float32)
exact = dict(rel=0, abs=0)

wrong("an array by a scalar", with_jax(lambda jax: jax.numpy.array(x) / s), array([2], x / s), seen=[-127.5, 51],
      **exact)
wrong("the same, compiled", with_jax(lambda jax: jax.jit(lambda a: a / s)(x)), array([2], x / s), seen=[-127.5, 51],
      **exact)
right("by an array", with_jax(lambda jax: jax.numpy.array(x) / np.array([s, s])), array([2], x / s), **exact)
right("one element", with_jax(lambda jax: jax.numpy.array(x[:1]) / s), array([1], x[:1] / s), **exact)
verdict()
