#!/usr/bin/env python3
"""Tests of graphs of ONNX Runtime as forms (workers/python/ortapi_worker.py), without that library; with numpy."""

import os
import re
import sys
import types
import unittest
from unittest import mock

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "workers", "python"))

import ort_optimizers  # noqa: E402

try:
    import numpy
    import ortapi_worker
except ModuleNotFoundError:  # without numpy
    numpy = None

from worker_types import Rejected, Unsupported  # noqa: E402


class Names(unittest.TestCase):
    def test_they_are_those_of_the_descriptor(self):
        with open(os.path.join(ROOT, "src", "worker", "ort_passes.def"), encoding="utf-8") as f:
            self.assertEqual(re.findall(r"^PASS\((\w+)\)", f.read(), re.M), ort_optimizers.NAMES)


class Session:
    """Of a library whose ReluFusion alone makes another model."""

    def __init__(self, model, options, providers, disabled_optimizers):
        self.left_out = disabled_optimizers
        if options.optimized_model_filepath:
            with open(options.optimized_model_filepath, "wb") as f:
                f.write(b"plain" if "FuseReluClip" in disabled_optimizers else b"fused")

    def get_inputs(self):
        return [types.SimpleNamespace(name="t0")]

    def run(self, wanted, given):
        return [sorted(given), self.left_out]


def package():
    made = types.ModuleType("onnxruntime")
    made.__version__, made.InferenceSession = "1.31.1", Session
    made.set_default_logger_severity = lambda level: None
    made.SessionOptions = lambda: types.SimpleNamespace(optimized_model_filepath="",
                                                        add_session_config_entry=lambda key, value: None)
    made.GraphOptimizationLevel = types.SimpleNamespace(ORT_DISABLE_ALL=0, ORT_ENABLE_BASIC=1, ORT_ENABLE_EXTENDED=2,
                                                        ORT_ENABLE_ALL=99)
    return made


@unittest.skipIf(numpy is None, "numpy is not installed")
class Graphs(unittest.TestCase):
    def opened(self, **options):
        backend = ortapi_worker.Backend()
        with mock.patch.dict(sys.modules, onnxruntime=package()):
            backend.open("", options)
        return backend

    def made(self, text):
        backend = self.opened()
        form = backend.form(text)
        backend.graph = ortapi_worker.Graph([numpy.ones(3, numpy.float32)])
        return backend.graph, form.function()(*backend.graph.inputs)

    def test_what_is_written_twice_is_one_node(self):
        graph, _ = self.made("t0:float32[3] | onnx.Add(onnx.Exp(t0), onnx.Exp(t0))")
        self.assertEqual(len(graph.nodes), 2)
        graph, _ = self.made("t0:float32[3] | onnx.Add(onnx.Exp(t0), onnx.Exp(t0, again=1))")
        self.assertEqual(len(graph.nodes), 3)

    def test_constants_are_as_the_tensor(self):
        graph, result = self.made("t0:float32[3] | graph.number(t0, 0.5)")
        self.assertEqual((result.dtype, result.name), (numpy.float32, "y1"))
        with self.assertRaises(Rejected):
            self.made("t0:float32[3] | graph.number(onnx.Exp(t0), 0.5)")

    def test_one_of_several_results(self):
        graph, result = self.made("t0:float32[3] | onnx.Split(t0, axis=0, outputs=3)[1]")
        self.assertIn(result.name.encode(), graph.serialize([result]))

    def test_one_optimizer_is_on(self):
        form = "t0:float32[3] | onnx.Relu(t0)"
        backend = self.opened(only="FuseReluClip")
        inputs, left_out = ortapi_worker.run(backend, backend.form(form), [numpy.ones(3, numpy.float32)])
        self.assertEqual(inputs, ["t0"])
        self.assertEqual(sorted([*left_out, "FuseReluClip"]), sorted(ort_optimizers.NAMES))
        backend = self.opened(only="Pad_Fusion")
        with self.assertRaises(Unsupported):
            ortapi_worker.run(backend, backend.form(form), [numpy.ones(3, numpy.float32)])

    def test_what_there_is_not(self):
        with self.assertRaises(Rejected):
            self.opened(only="NoSuchFusion")
        with self.assertRaises(Unsupported):  # before 1.23
            self.opened(level="O3")


if __name__ == "__main__":
    unittest.main()
