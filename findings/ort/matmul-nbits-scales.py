"""
title: com.microsoft MatMulNBits with accuracy_level 4, constant weights and scales that are fed returns 0.
library: onnxruntime
shows: 1.31.1
class: bug
condition: B is a constant, the scales are an input, accuracy_level is 4: all of the result is 0.  Right are scales that
    are constant, a B that is fed, too, and levels 0 and 1.
rule: ONNX Runtime's ContribOperators.md, MatMulNBits: Y is A times the dequantized B.  It asks for no constant scales.
documented: docs/methods/fuzz.md, What it found
tracker: none found
found: fuzz
"""
import numpy as np

from library import model, right, run, verdict, wrong

WEIGHTS, SCALES = np.full((1, 1, 8), 0x99, np.uint8), np.full((1, 1), 0.5, np.float32)  # 9 - 8 = 1, in steps of 0.5


def product(level, fed):
    """Of 16 ones and 16 weights of 0.5."""
    held = [("uint8[1,1,8] b", WEIGHTS), ("float[1,1] s", SCALES)]
    inputs = "".join(", " + name for name, _ in held if name[-1] in fed)
    constants = ", ".join("%s = {%s}" % (name, ", ".join("%g" % x for x in v.ravel())) for name, v in held
                          if name[-1] not in fed)
    m = model("(float[1,16] a%s) => (float[1,1] y) %s { y = com.microsoft.MatMulNBits<K = 16, N = 1, bits = 4, "
              "block_size = 16, accuracy_level = %d>(a, b, s) }" % (inputs, constants and "<%s>" % constants, level),
              check=False)
    return lambda: run(m, np.ones(16), *(v for name, v in held if name[-1] in fed))


wrong("scales fed, level 4", product(4, "s"), [8], seen=[0])
right("scales fed, level 1", product(1, "s"), [8])
right("scales fed, level 0", product(0, "s"), [8])
right("both constant, level 4", product(4, ""), [8])
right("both fed, level 4", product(4, "bs"), [8])
verdict()
