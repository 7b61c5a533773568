"""
title: LSTM is refused where outputs before the last have no name, or where P or initial_c is given without the states
    before it.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine.  Outputs that are named and not read are right, and so is P with both states; the classic
    engine takes P alone.
rule: ONNX IR: an optional input or output in the middle is left out by an empty name; LSTM-14: initial_h and initial_c
    are 0 when they are left out.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import NEW, Refused, call, right, verdict, wrong

def lstm(outputs, names, more="", engine=NEW):
    return call("""(float[2,1,1] x) => (%s) <float[1,4,1] w = {1, 1, 1, 1}, float[1,4,1] r = {0, 0, 0, 0},
        float[1,3] p = {0, 0, 0}, float[1,1,1] s = {0}> { %s = LSTM<hidden_size = 1>(x, w, r%s) }"""
                % (outputs, names, more), [1, 1], opset=14, engine=engine)



H, C = 0.545346081, 0.963801444
YH = "float[2,1,1,1] y, float[1,1,1] h"
wrong("Y_c alone", lstm("float[1,1,1] c", ",, c"), [C], seen=Refused())
wrong("P alone", lstm(YH, "y, h", ",,,,, p"), ([0.3696063, H], [H]), seen=Refused())
wrong("initial_c alone", lstm(YH, "y, h", ",,,, s"), ([0.3696063, H], [H]), seen=Refused())
right("Y_c, all named", lstm("float[1,1,1] c", "y, h, c"), [C])
right("P, the classic engine", lstm(YH, "y, h", ",,,,, p", 1), ([0.3696063, H], [H]))
verdict()
