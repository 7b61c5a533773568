"""
title: Selu takes 1.67326 and 1.0507 where alpha and gamma are left out.
library: iree-base-compiler
shows: 3.13.0
class: bug
condition: Both attributes are left out; written out they are right.
rule: ONNX Selu-6 and Selu-22: alpha defaults to 1.67326319217681884765625, gamma to 1.05070102214813232421875.
documented: data/quirks.tsv, Selu
tracker: none found
"""
from library import SECONDS, call, right, verdict, wrong

SELU = "(float[1] x) => (float[1] y) { y = Selu%s(x) }"
WRITTEN = "<alpha = 1.67326319217681884765625, gamma = 1.05070102214813232421875>"
DEFAULT = [1050.70102214813232421875]

wrong("left out", call(SELU % "", [1000]), DEFAULT, seen=[1050.7], seconds=SECONDS, rel=3e-7)
right("written out", call(SELU % WRITTEN, [1000]), DEFAULT, seconds=SECONDS, rel=3e-7)
verdict()
