"""
title: Softplus of 89 and more is infinite; x itself is right.
library: ncnn
shows: 1.0.20261020
class: limit
condition: exp(x) is beyond the largest float.  88 is right.
rule: Softplus is log(1 + exp(x)), which is x for large x; ncnn's operators.md says
    log(exp(x) + 1), and it is computed so.
documented: docs/methods/fuzz.md, Found
tracker: none found
"""
from library import layer, right, verdict, wrong

INF = float("inf")

wrong("1000 and 89", layer("Softplus", [1000, 89]), [1000, 89], seen=[INF, INF])
right("1 and 88", layer("Softplus", [1, 88]), [1.3132617, 88])
verdict()
