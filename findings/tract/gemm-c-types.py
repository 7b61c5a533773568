"""
title: Gemm of float64 with a C that is constant, and of int32 with any C, is refused; they are valid models.
library: tract
shows: 0.23.9
class: bug
condition: alpha and beta are kept in float32: "tensor is F32, accessed as F64", "No super type for F32 and I32".  The
    same where beta is given, and for int32 alpha.  Without C it is right, and so is float32; float64 also with a C that
    is an input and without beta.
rule: ONNX Gemm-13: double and int32 are among the types of A, B and C.
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found
found: fuzz
"""
from library import Refused, model, right, run, verdict, wrong


def constant(kind):
    m = model("(%s[1,2] x) => (%s[1,1] y) <%s[2,1] w = {1, 2}, %s[1,1] c = {5}> { y = Gemm(x, w, c) }" % ((kind,) * 4))
    return lambda: run(m, [3, 4])


def given(kind, attributes=""):
    m = model("(%s[1,2] x, %s[1,1] c) => (%s[1,1] y) <%s[2,1] w = {1, 2}> { y = Gemm%s(x, w, c) }"
              % ((kind,) * 4 + (attributes,)))
    return lambda: run(m, [3, 4], [5])


def without(kind):
    m = model("(%s[1,2] x) => (%s[1,1] y) <%s[2,1] w = {1, 2}> { y = Gemm(x, w) }" % ((kind,) * 3))
    return lambda: run(m, [3, 4])


wrong("float64, C is a constant", constant("double"), [16], seen=Refused())
wrong("float64, beta 3", given("double", "<beta = 3.0>"), [26], seen=Refused())
wrong("int32, C is a constant", constant("int32"), [16], seen=Refused())
wrong("int32, C is an input", given("int32"), [16], seen=Refused())
right("float64, C is an input", given("double"), [16])
right("float32, beta 3", given("float", "<beta = 3.0>"), [26])
right("float64 without C", without("double"), [11])
right("int32 without C", without("int32"), [11])
verdict()
