"""
title: A constant of strings kills the process (SIGSEGV).
library: MNN
shows: 3.0.0, 3.6.1
class: bug
condition: An initializer or a Constant of type string, in the converter.  MNN has no strings: it is to say so.
rule: ONNX IR, TensorProto: string is a type of a tensor; ONNX Gather-13 takes it.
documented: docs/methods/fuzz.md, Found
tracker: none found
"""
from library import Died, call, right, verdict, wrong

wrong("Gather of strings", call("""(int32[1] x) => (string[1] y) <string[2] words = {"a", "b"}>
    { y = Gather(words, x) }""", [1]), ["b"], seen=Died("SIGSEGV"))
wrong("a Constant beside the model's path", call("""(float[1] x) => (float[1] y, string[1] z)
    { y = Abs(x) z = Constant<value_strings = ["a"]>() }""", [-1]), [1], seen=Died("SIGSEGV"))
right("the same without it", call("(float[1] x) => (float[1] y) { y = Abs(x) }", [-1]), [1])
verdict()
