"""
title: RandomPoissonV2 with a rate of NaN or 1e30 does not end.
library: tensorflow-cpu
shows: 2.12.0, 2.21.0
class: bug
condition: A rate of NaN, or one so large that a step of 1 is lost in it.  1e10, infinity and negative rates end.
rule: tf.raw_ops.RandomPoissonV2: a number, or an error for a rate that has no distribution.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/tensorflow/tensorflow/issues/55243 (NaN; 1e30 is not in it)
"""
import numpy as np

from library import Hung, Refused, right, verdict, with_tf, wrong


def draws(rate):
    """Does it end?  The numbers are chance."""
    return with_tf(lambda tf: np.array(tf.raw_ops.RandomPoissonV2(shape=[1], rate=np.float32(rate),
                                                                  seed=1).numpy().shape))


wrong("NaN", draws(float("nan")), Refused(), seen=Hung(), seconds=40)
wrong("1e30", draws(1e30), [1], seen=Hung(), seconds=40)
right("1e10", draws(1e10), [1])
verdict()
