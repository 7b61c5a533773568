"""
title: keras.ops.correlate of two sequences of one length with PyTorch gives a number without axes, not one of one axis.
library: keras
shows: 3.15.1
class: bug
condition: With PyTorch, mode valid, and a result of one number.  Longer results, and NumPy, are right.
rule: keras.ops.correlate: cross-correlation of two 1-dimensional tensors; its own compute_output_spec says a shape of
    one axis, max(len) - min(len) + 1.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found; https://github.com/keras-team/keras/issues/21617 (open) is about TensorFlow
"""
from library import array, right, verdict, with_keras, wrong


def call(n):
    return lambda ops, np: ops.correlate(np.array([1, 2, 3][:n], "float32"), np.array([3, 4], "float32"))


wrong("two and two with torch", with_keras("torch", call(2)), array([1], [11]), seen=array([], [11]))
right("two and two with numpy", with_keras("numpy", call(2)), array([1], [11]))
right("three and two with torch", with_keras("torch", call(3)), array([2], [11, 18]))
verdict()
