"""
title: jax.lax.rng_uniform of whole numbers of 8 or 16 bits ends the process.
library: jax
shows: 0.10.2
class: bug
condition: Bounds of int8, uint8, int16 or uint16, in order (3 and 8) or not, or of bool; call by call and under
    jax.jit.  int32, uint32 and floats give numbers.
rule: jax.lax.rng_uniform: uniformly distributed random numbers in the range [a, b); a type that it does not have is to
    be refused.  Its documentation calls it experimental.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
import numpy as np

from library import Died, right, verdict, with_jax, wrong

INSIDE = np.ones(6, bool)


def of(kind, wrapped=False):
    def call(jax):
        ends = [jax.numpy.asarray(x, kind) for x in (3, 8)]
        draw = (lambda *at: jax.lax.rng_uniform(*at, (6,)))
        drawn = np.asarray((jax.jit(draw) if wrapped else draw)(*ends))
        return (drawn >= 3) & (drawn < 8)
    return with_jax(call)


wrong("int16", of("int16"), INSIDE, seen=Died("SIGABRT"))
for narrow in ("int8", "uint8", "uint16"):
    wrong(narrow, of(narrow), INSIDE, seen=Died("SIGABRT"))
wrong("int16, compiled", of("int16", wrapped=True), INSIDE, seen=Died("SIGABRT"))
right("int32", of("int32"), INSIDE)
right("float16", of("float16"), INSIDE)
verdict()
