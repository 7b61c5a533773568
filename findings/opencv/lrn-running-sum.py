"""
title: LRN of size 1 of a 1 in the channel behind a 10000 is 1; 0.5946 is right.
library: OpenCV
shows: 5.0.0
class: precision
condition: Both engines: the sum of squares is carried from channel to channel, and loses what is small beside one that
    left the window.  Behind a 0 it is right.
rule: ONNX LRN-13: square_sum has the squares of the channels in the window alone, with size 1 one channel.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import call, right, verdict, wrong

TEXT = "(float[1,2,1,1] x) => (float[1,2,1,1] y) { y = LRN<size = 1, alpha = 1.0>(x) }"

wrong("behind 10000", call(TEXT, [10000, 1]), [0.01, 0.59460356], seen=[0.01, 1])
wrong("the classic engine", call(TEXT, [10000, 1], engine=1), [0.01, 0.59460356], seen=[0.01, 1])
right("behind 0", call(TEXT, [0, 1]), [0, 0.59460356])
verdict()
