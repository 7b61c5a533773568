"""
title: tf.signal.hann_window and hamming_window of an odd length give the symmetric window where the periodic one is
    asked for.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: periodic=True, which is the default, and an odd length.  Even lengths are periodic.
rule: tf.signal.hann_window, periodic: whether a periodic or a symmetric window is made.  The periodic one of length n
    is the symmetric one of length n + 1 without its last number.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found; https://github.com/scipy/scipy/pull/4551 mended the same in SciPy
found: equiv
"""
import numpy as np

from library import called, right, verdict, wrong


def formula(n, parts, a):
    return (a - (1 - a) * np.cos(2 * np.pi * np.arange(n) / parts)).astype(np.float32)


def window(name, n, periodic=True):
    return called(lambda tf: getattr(tf.signal, name + "_window")(n, periodic=periodic))


for name, a in (("hann", 0.5), ("hamming", 0.54)):
    wrong(name + " of length 5", window(name, 5), formula(5, 5, a), seen=formula(5, 4, a), abs=1e-6)
    right(name + " of length 6", window(name, 6), formula(6, 6, a), abs=1e-6)
    right(name + " of length 5, symmetric", window(name, 5, False), formula(5, 4, a), abs=1e-6)
verdict()
