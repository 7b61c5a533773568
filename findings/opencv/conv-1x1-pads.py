"""
title: Conv with a kernel of 1 × 1 and pads ignores the pads: the rows run together, and what is left of the output is
    memory that nobody set.
library: OpenCV
shows: 5.0.0
class: bug
condition: A kernel of 1 × 1, strides 1, pads, and more than one channel of output; with the classic engine pads that
    differ from side to side, with any number of channels.  A kernel of 1 × 2 is right, and so is one channel with the
    new engine.
rule: ONNX Conv-11, pads: the number of pixels added to the beginning and end of each axis; they are 0.
documented: docs/methods/equiv.md, Libraries without a list; data/quirks.tsv, Conv
tracker: none found
found: equiv
"""
from library import array, call, right, verdict, wrong

CLASSIC = 1


def padded(channels, kernel, pads, **more):
    weights = [1] + [0] * (kernel - 1)
    return call("""(float[1,1,2,2] x, float[%d,1,1,%d] w) => (float[1,c,2,b] y)
        { y = Conv<kernel_shape = [1,%d], pads = [0,%d,0,%d]>(x, w) }""" % (channels, kernel, kernel, *pads),
                [1, 2, 3, 4], weights * channels, **more)


def begin(conv):
    """Of the output, before what nobody set."""
    return lambda: conv()[0].ravel()[:4]


wrong("two channels, pads on both sides", begin(padded(2, 1, (1, 1))), [0, 1, 2, 0], seen=[1, 2, 3, 4])
wrong("the classic engine, a pad at the end", begin(padded(2, 1, (0, 1), engine=CLASSIC)), [1, 2, 0, 3],
      seen=[1, 2, 3, 4])
right("a kernel of 1 × 2", padded(2, 2, (1, 1)), array([1, 2, 2, 3], [0, 1, 2, 0, 3, 4] * 2))
right("one channel", padded(1, 1, (1, 1)), array([1, 1, 2, 4], [0, 1, 2, 0, 0, 3, 4, 0]))
right("the classic engine, the same pads on both sides", padded(2, 1, (1, 1), engine=CLASSIC),
      array([1, 2, 2, 4], [0, 1, 2, 0, 0, 3, 4, 0] * 2))
verdict()
