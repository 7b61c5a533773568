"""
title: Deconvolution with a dilation and a stride along the same axis gives wrong elements.
library: mxnet
shows: 1.6.0
until: 1.6.0 (1.9.1 is right)
class: bug
condition: dilate and stride are both above 1 along an axis.  Groups do not matter.
rule: mx.nd.Deconvolution: the transpose of a convolution.
documented: data/quirks.tsv, ConvTranspose
tracker: https://github.com/apache/mxnet/issues/11203 (closed)
"""
import numpy as np

from library import mx, right, verdict, wrong

mx.npx.reset_np()


def transposed(stride, dilate):
    x, w = np.array([1.0, 2, 3]), np.array([1.0, 10])
    want = np.zeros(2 * stride + dilate + 1)
    for i, j in np.ndindex(3, 2):
        want[i * stride + j * dilate] += x[i] * w[j]
    return (lambda: mx.nd.Deconvolution(
        mx.nd.array(x.reshape(1, 1, 1, 3)), mx.nd.array(w.reshape(1, 1, 1, 2)), kernel=(1, 2), stride=(1, stride),
        dilate=(1, dilate), num_filter=1, no_bias=True).asnumpy()), want.tolist()


wrong("stride 2, dilate 2", *transposed(2, 2))
right("stride 1, dilate 2", *transposed(1, 2))
right("stride 2, dilate 1", *transposed(2, 1))
verdict()
