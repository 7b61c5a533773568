"""
title: keras.ops.moments of whole numbers with TensorFlow gives a mean that is cut to a whole number.
library: keras
shows: 3.15.1
class: bug
condition: With TensorFlow, tensors of whole numbers.  Of floats it is right.
rule: keras.ops.moments: the mean and the variance of x.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
from library import array, right, verdict, with_keras, wrong


def mean(kind):
    return lambda ops, np: ops.moments(np.array([4, 9], kind), axes=0)[0]


wrong("with tensorflow", with_keras("tensorflow", mean("int32")), array([], [6.5]), seen=[6])
right("of floats with tensorflow", with_keras("tensorflow", mean("float32")), array([], [6.5]))
verdict()
