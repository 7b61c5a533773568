"""
title: tf.math.log1p(3e38 i) of complex64 is 88.6 + 0 i; 88.6 + 1.57 i is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: complex64, eager or in a graph, numbers near the type's end.  1 i is right.
rule: tf.math.log1p: log(1 + z), whose imaginary part is the angle of 1 + z.
documented: docs/methods/equiv.md, Documented functions
tracker: none found; https://github.com/tensorflow/tensorflow/issues/80850 (closed) is about infinite numbers, which
    give NaN
"""
import numpy as np

from library import called, right, verdict, wrong

wrong("3e38 i", called(lambda tf, x: tf.math.log1p(x), np.complex64([3e38j])),
      np.complex64([complex(np.log(3e38), np.pi / 2)]), seen=np.complex64([complex(np.log(3e38), 0)]))
right("1 i", called(lambda tf, x: tf.math.log1p(x), np.complex64([1j])),
      np.complex64([complex(np.log(2) / 2, np.pi / 4)]), rel=1e-5)
verdict()
