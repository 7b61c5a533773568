"""The Python package onnxruntime-openvino, and what claims about its execution provider share."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

import onnxruntime  # noqa: E402


def run(m, values, provider):
    """All outputs of the model with one execution provider."""
    options = {"device_type": "CPU"} if provider == "OpenVINO" else {}
    session = onnxruntime.InferenceSession(m.SerializeToString(),
                                           providers=[(provider + "ExecutionProvider", options)])
    return session.run(None, feeds(m, values))


def call(text, *values, provider="OpenVINO", **options):
    """A call that runs the graph in ONNX's text."""
    m = model(text, **options)
    return lambda: run(m, values, provider)
