"""
title: The reference kernel of LOCAL_RESPONSE_NORMALIZATION leaves out the last channel of each window.
library: ai-edge-litert
shows: 2.3.0
class: bug
condition: OpResolverType.BUILTIN_REF.  The optimized kernel sums all channels.
rule: tf.nn.local_response_normalization: channels d - depth_radius to d + depth_radius, both included.
documented: data/quirks.tsv, LRN
tracker: none found
"""
from library import OPTIMIZED, REFERENCE, operator, right, verdict, wrong


def lrn(kernels):
    return operator("LOCAL_RESPONSE_NORMALIZATION", [[[[1, 2, 3]]]], "LocalResponseNormalizationOptions", kernels,
                    radius=1, bias=1.0, alpha=1.0, beta=1.0)


# Sums of squares are 1 + 4, 1 + 4 + 9 and 4 + 9; without the last ones 1, 1 + 4, and 4 + 9 at the end of the axis.
summed = [1 / 6, 2 / 15, 3 / 14]
wrong("reference kernel", lrn(REFERENCE), summed, seen=[1 / 2, 2 / 6, 3 / 14])
right("optimized kernel", lrn(OPTIMIZED), summed)
verdict()
