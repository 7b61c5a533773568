"""
title: BlockLSTMGrad and BlockLSTMGradV2 kill the process on shapes that do not fit; an error is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: cs_grad has two axes in place of three (BlockLSTMGrad); seq_len_max is beyond the steps that x has (both).
    An i of two axes is refused.
rule: tf.raw_ops: an InvalidArgumentError.  TensorFlow's SECURITY.md: to end uncleanly is incorrect behaviour, though
    a failed CHECK alone is no vulnerability any more.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/tensorflow/tensorflow/issues/104847 (open, ranks),
    https://github.com/tensorflow/tensorflow/issues/106407 (open) and
    https://github.com/tensorflow/tensorflow/issues/124974 (closed), seq_len_max
"""
import numpy as np

from library import Died, Refused, right, verdict, with_tf, wrong


def ones(*shape):
    return np.ones(shape, np.float32)


def gradients(name, **others):
    """Of one step, one sequence, one unit; everything 1."""
    steps = {n: ones(1, 1, 1) for n in "x i cs f o ci co h cs_grad h_grad".split()}
    arguments = dict(steps, seq_len_max=np.int64(1), cs_prev=ones(1, 1), h_prev=ones(1, 1), w=ones(2, 4), wci=ones(1),
                     wcf=ones(1), wco=ones(1), b=ones(4), use_peephole=False)
    arguments.update(others)
    return with_tf(lambda tf: getattr(tf.raw_ops, name)(**arguments)[1].numpy())


dies = Died("SIGABRT")
wrong("cs_grad of two axes", gradients("BlockLSTMGrad", cs_grad=ones(1, 1)), Refused(), seen=dies)
wrong("two steps of one", gradients("BlockLSTMGrad", seq_len_max=np.int64(2)), Refused(), seen=dies)
wrong("two steps of one, V2", gradients("BlockLSTMGradV2", seq_len_max=np.int64(2)), Refused(), seen=dies)
right("i of two axes", gradients("BlockLSTMGrad", i=ones(1, 1)), Refused("InvalidArgumentError"))
verdict()
