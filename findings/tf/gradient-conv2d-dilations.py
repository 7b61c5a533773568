"""
title: TF_AddGradients leaves dilations of Conv2D out: with SAME its gradients are those without them, with VALID it
    fails.
library: tensorflow-cpu
shows: 2.12.0, 2.21.0
class: bug
condition: The C interface's TF_AddGradients and dilations above 1.
rule: The derivative of tf.nn.conv2d.
documented: data/quirks.tsv, Conv
tracker: none found
"""
import numpy as np

from library import Refused, c_gradient, right, verdict, wrong

x = np.arange(1, 6, dtype=np.float32).reshape(1, 1, 5, 1)
w = np.array([1, 10, 100], np.float32).reshape(1, 3, 1, 1)


def gradients(dilation, padding):
    return c_gradient(lambda tf, a, b: tf.raw_ops.Conv2D(
        input=a, filter=b, strides=[1] * 4, padding=padding, dilations=[1, 1, dilation, 1]), [x, w])


# By x: which weights an element meets.  By w: the sum of the elements that a weight meets.
plain = ([11, 111, 111, 111, 110], [10, 15, 14])
wrong("SAME, dilations 2", gradients(2, "SAME"), ([11, 11, 111, 110, 110], [6, 15, 12]), seen=plain)
wrong("VALID, dilations 2", gradients(2, "VALID"), ([1, 0, 10, 0, 100], [1, 3, 5]), seen=Refused())
right("SAME, dilations 1", gradients(1, "SAME"), plain)
verdict()
