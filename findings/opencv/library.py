"""OpenCV's Python package, and what claims about its dnn module share."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

import cv2  # noqa: E402

cv2.setNumThreads(1)
NEW = getattr(cv2.dnn, "ENGINE_NEW", None)  # before 5 there is one engine, which is not named


def run(m, values, engine):
    """All outputs of the model, which is read from a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.onnx")
        with open(path, "wb") as f:
            f.write(m.SerializeToString())
        net = cv2.dnn.readNetFromONNX(path, *([] if engine is None else [engine]))
    if net.empty():
        raise ValueError("the model was not read")
    for name, value in feeds(m, values).items():
        net.setInput(value, name)
    return list(net.forward([o.name for o in m.graph.output]))


def call(text, *values, engine=NEW, **options):
    """A call that runs the graph in ONNX's text, with the new engine unless another one is named."""
    m = model(text, **options)
    return lambda: run(m, values, engine)
