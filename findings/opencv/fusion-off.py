"""
title: After enableFusion(False) a network of the new engine refuses its own inputs; their names are right.
library: OpenCV
shows: 5.0.0
class: bug
condition: ENGINE_NEW, and ENGINE_AUTO where that takes it.  The classic engine, and enableFusion(True), are right.
rule: OpenCV, Net::enableFusion: it enables or disables layer fusion in the network, and says nothing of its inputs.
documented: docs/backends.md, OpenCV and tinygrad
tracker: none found
"""
import os
import tempfile

from library import NEW, Refused, cv2, feeds, model, right, verdict, wrong

M = model("(float[1,3] x) => (float[1,3] y) { y = Relu(x) }")


def relu(engine, fusion):
    def run():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.onnx")
            with open(path, "wb") as f:
                f.write(M.SerializeToString())
            net = cv2.dnn.readNetFromONNX(path, *([] if engine is None else [engine]))
        net.enableFusion(fusion)
        for name, value in feeds(M, [[-1, 0, 2]]).items():
            net.setInput(value, name)
        return net.forward()
    return run


wrong("off, new engine", relu(NEW, False), [0, 0, 2], seen=Refused("Requested blob"))
right("on, new engine", relu(NEW, True), [0, 0, 2])
right("off, classic engine", relu(getattr(cv2.dnn, "ENGINE_CLASSIC", None), False), [0, 0, 2])
verdict()
