"""
title: Resize with mode cubic gives what mode linear does.
library: rten
shows: 0.27.0
class: bug
condition: mode is cubic.
rule: ONNX Resize-13, attribute mode: cubic includes cubic / bicubic interpolation.  A comment in rten's loader says
    that linear is taken for it; whoever runs the model is not told.
documented: data/quirks.tsv, Resize
tracker: https://github.com/robertknight/rten/pull/972 (merged; does it on purpose)
"""
from library import call, right, verdict, wrong


def resize(mode):
    return call("""(float[1,1,1,4] x) => (float[1,1,1,8] y)
        <float[4] scales = {1, 1, 1, 2}> { y = Resize<mode = "%s">(x, , scales) }""" % mode, [0, 0, 1, 1])


a = -0.75  # cubic_coeff_a
linear = [0, 0, 0, 0.25, 0.75, 1, 1, 1]


def weights(t):
    d = [t + 1, t, 1 - t, 2 - t]
    near = [(a + 2) * v ** 3 - (a + 3) * v ** 2 + 1 for v in d[1:3]]
    far = [a * v ** 3 - 5 * a * v ** 2 + 8 * a * v - 4 * a for v in (d[0], d[3])]
    return [far[0], near[0], near[1], far[1]]


def interpolated(position):
    x = [0, 0, 1, 1]
    first = int(position // 1)
    return sum(w * x[min(max(first - 1 + k, 0), 3)] for k, w in enumerate(weights(position - first)))


wrong("cubic", resize("cubic"), [interpolated((i + 0.5) / 2 - 0.5) for i in range(8)], seen=linear)
right("linear", resize("linear"), linear)
verdict()
