"""
title: Pools and ConvTranspose with too few or too many numbers in kernel_shape, strides or pads, and DepthToSpace
    and SpaceToDepth with blocksize 0, abort the process; they must be refused.
library: tract
shows: 0.23.9
class: bug
condition: As many numbers as there are spatial axes are right, blocksize 1 is right, and blocksize -1 is refused.
rule: ONNX MaxPool-12 and AveragePool-11: one number for each spatial axis, two of pads; DepthToSpace-13: blocks of
    [blocksize, blocksize].
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: none found
"""
from library import Died, Refused, right, unchecked, verdict, wrong


def node(text, channels=1):
    return unchecked("(float[1,%d,3,3] x) => (float y) { y = %s }" % (channels, text), range(9 * channels))


def transposed(strides):
    text = "(float[1,1,1,1,1] x, float[1,1,1,1,1] w) => (float y) { y = ConvTranspose<strides = [%s]>(x, w) }"
    return unchecked(text % strides, [2], [3])


aborts = Died("SIGABRT")
wrong("ConvTranspose of three axes, strides 1 1", transposed("1, 1"), Refused(), seen=aborts)
right("ConvTranspose of three axes, strides 1 1 1", transposed("1, 1, 1"), [6])
wrong("MaxPool, kernel_shape 2", node("MaxPool<kernel_shape = [2]>(x)"), Refused(), seen=aborts)
wrong("AveragePool, kernel_shape 2 2 2", node("AveragePool<kernel_shape = [2, 2, 2]>(x)"), Refused(), seen=aborts)
wrong("MaxPool, strides 1", node("MaxPool<kernel_shape = [2, 2], strides = [1]>(x)"), Refused(), seen=aborts)
wrong("MaxPool, pads 1 1", node("MaxPool<kernel_shape = [2, 2], pads = [1, 1]>(x)"), Refused(), seen=aborts)
wrong("DepthToSpace, blocksize 0", node("DepthToSpace<blocksize = 0>(x)", 4), Refused(), seen=aborts)
wrong("SpaceToDepth, blocksize 0", node("SpaceToDepth<blocksize = 0>(x)", 4), Refused(), seen=aborts)
right("MaxPool, kernel_shape 2 2", node("MaxPool<kernel_shape = [2, 2]>(x)"), [4, 5, 7, 8])
right("DepthToSpace, blocksize 1", node("DepthToSpace<blocksize = 1>(x)", 4), list(range(36)))
right("DepthToSpace, blocksize -1", node("DepthToSpace<blocksize = -1>(x)", 4), Refused())
verdict()
