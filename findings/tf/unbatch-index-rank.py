"""
title: Unbatch kills the process when batch_index has one axis; an error is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: batch_index has one axis in place of two.  With two it gives the batch.
rule: tf.raw_ops: an InvalidArgumentError.  TensorFlow's SECURITY.md: to end uncleanly is incorrect behaviour, though
    a failed CHECK alone is no vulnerability any more.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/tensorflow/tensorflow/issues/104846 (closed; fixed by
    https://github.com/tensorflow/tensorflow/pull/123865, which 2.21.0 does not have),
    https://github.com/tensorflow/tensorflow/issues/65633 (open)
"""
import numpy as np

from library import Died, Refused, right, verdict, with_tf, wrong


def ones(*shape):
    return np.ones(shape, np.float32)


def unbatched(index):
    return with_tf(lambda tf: tf.raw_ops.Unbatch(
        batched_tensor=3 * ones(1), batch_index=np.array(index, np.int64), id=np.int64(0), timeout_micros=1).numpy())


wrong("one axis", unbatched([0]), Refused(), seen=Died("SIGABRT"))
right("two axes", unbatched([[0, 0, 1]]), [3])
verdict()
