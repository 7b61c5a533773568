"""
title: DequantizeLinear of four axes swaps the first two: of [1, 2, 1, 1] comes [2, 1, 1, 1].
library: MNN
shows: 3.0.0, 3.6.1
class: bug
condition: A scalar scale, behind QuantizeLinear or of an input of the graph; a Conv behind it is refused ("Input data
    channel may be mismatch") or gets the images mixed.  The same for int8.  An image of one channel is right.
rule: ONNX DequantizeLinear-10: y has the shape of x.
documented: docs/methods/fuzz.md, Found
tracker: none found
"""
from library import array, call, right, verdict, wrong


def there_and_back(images, channels, then="y = Relu(d)", out=None):
    shape = "%d,%d,1,1" % (images, channels)
    return call("""(float[%s] x) => (float[%d,%d,1,1] y) <float s = {1}, float[1,2,1,1] w = {1, 1}>
        { q = QuantizeLinear(x, s) d = DequantizeLinear(q, s) %s }""" % (shape, images, out or channels, then),
                range(1, images * channels + 1), opset=10)


conv = "y = Conv(d, w)"
wrong("two channels", there_and_back(1, 2), array([1, 2, 1, 1], [1, 2]), seen=array([2, 1, 1, 1], [1, 2]))
wrong("two images", there_and_back(2, 1), array([2, 1, 1, 1], [1, 2]), seen=array([1, 2, 1, 1], [1, 2]))
wrong("two images of two channels", there_and_back(2, 2), [1, 2, 3, 4], seen=[1, 3, 2, 4])
wrong("the same before a Conv", there_and_back(2, 2, conv, 1), [3, 7], seen=[4, 6])
right("one image of one channel", there_and_back(1, 1), array([1, 1, 1, 1], [1]))
verdict()
