"""
title: AveragePool with dilations between DequantizeLinear and QuantizeLinear is refused; it is a valid model.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Opset 19 or newer, the attribute dilations (of 1, too), optimized as by default: the fused QLinearAveragePool
    has no such attribute.  Without it the model is right.
rule: ONNX AveragePool-19, attribute dilations.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/microsoft/onnxruntime/issues/26528
"""
from library import NONE, Refused, model, right, run, verdict, wrong


def pooled(attributes="", size=2, **options):
    m = model("""(uint8[1,1,1,3] x) => (uint8[1,1,1,%d] y) <float s = {0.5}, uint8 z = {0}>
        { d = DequantizeLinear(x, s, z) t = AveragePool<kernel_shape = [1, 2]%s>(d) y = QuantizeLinear(t, s, z) }"""
              % (size, attributes), opset=19, ir=9)
    return lambda: run(m, [2, 4, 8], **options)


says = Refused("Unrecognized attribute: dilations")
wrong("dilations 1", pooled(", dilations = [1, 1]"), [3, 6], seen=says)
wrong("dilations 2", pooled(", dilations = [1, 2]", 1), [5], seen=says)
right("dilations 2, not optimized", pooled(", dilations = [1, 2]", 1, level=NONE), [5])
right("without", pooled(), [3, 6])
verdict()
