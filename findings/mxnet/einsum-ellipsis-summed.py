"""
title: np.einsum with "...i,...i->i", an ellipsis that is summed over, ends in a C++ exception of std::string.
library: mxnet
shows: 1.6.0, 1.9.1
class: difference
condition: The ellipsis is in the inputs and not in the output.
rule: ONNX Einsum-12: an ellipsis that is not in the output is summed over; NumPy refuses it with a message of its own.
documented: data/quirks.tsv, Einsum
tracker: none found; https://github.com/apache/mxnet/issues/20282 is about an ellipsis of no axes, that is in the output
"""
from library import Refused, mx, right, verdict, wrong


def product(equation):
    def call():
        a = mx.np.array([[1, 2, 3], [4, 5, 6]])
        return mx.np.einsum(equation, a, a).asnumpy()
    return call


wrong('"...i,...i->i"', product("...i,...i->i"), [17, 29, 45], seen=Refused("basic_string"))
right('"ji,ji->i"', product("ji,ji->i"), [17, 29, 45])
verdict()
