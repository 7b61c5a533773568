#!/usr/bin/env python3
"""workers/python/assay_worker.py: whom an error in a worker is put down to."""

import ast
import contextlib
import io
import os
import re
import sys
import tempfile
import types
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(ROOT, "workers", "python"))
import assay_worker  # noqa: E402


def mistaken():
    return {}["axis"]


class Errors(unittest.TestCase):
    def status(self, function, own=HERE):
        with contextlib.redirect_stderr(io.StringIO()):
            try:
                function()
            except Exception as e:
                return assay_worker.status_of(e, own)
        return self.fail("no error")

    def of_library(self, text):
        """A function of a file in another folder, as a library has it."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "library.py")
            space = {}
            exec(compile(f"def call(f=None):\n    {text}\n", path, "exec"), space)
            return space["call"]

    def test_a_mistake_of_a_worker_is_not_the_librarys(self):
        status, words = self.status(mistaken)
        self.assertEqual(status, assay_worker.UNSUPPORTED)
        self.assertEqual(words, "a mistake of assay's own worker: KeyError: 'axis'")

    def test_a_mistake_of_a_library_is_its_own(self):
        self.assertEqual(self.status(self.of_library("return {}['axis']")), (assay_worker.FAILED, "KeyError: 'axis'"))

    def test_what_a_library_calls_back_is_the_workers(self):
        call = self.of_library("return f()")
        self.assertEqual(self.status(lambda: call(mistaken))[0], assay_worker.UNSUPPORTED)

    def test_a_worker_of_somebody_else(self):
        self.assertEqual(self.status(mistaken, None)[0], assay_worker.FAILED)

    def test_a_library_in_another_language(self):
        """Its errors have a line of the worker as their last; their kind tells them from mistakes in Python."""
        def call():
            raise RuntimeError("no kernel")
        self.assertEqual(self.status(call), (assay_worker.FAILED, "RuntimeError: no kernel"))

    def test_what_a_worker_says_itself(self):
        def raising(error):
            def call():
                raise error
            return call
        for error, status in ((assay_worker.Unsupported("no"), assay_worker.UNSUPPORTED),
                              (assay_worker.Rejected("no"), assay_worker.REJECTED),
                              (MemoryError("no"), assay_worker.OOM)):
            self.assertEqual(self.status(raising(error)), (status, "no"))


class Lacks(unittest.TestCase):
    """Words that say that a library does not have something: no valid model is refused then."""

    SAID = {
        "rten_worker": ["Resize operator uses opset version 10 but only version 11 and later are supported"],
        "tinygrad_worker": ["'ai.onnx.preview' is not a valid Domain",
                            "get_onnx_ops.<locals>.SpaceToDepth() got an unexpected keyword argument 'mode'"],
        "opencv_worker": ["inputs[0] == CV_32F || inputs[0] == CV_64F in function 'getTypes'",
                          "'input == CV_32F || input == CV_64F || input == CV_8S' where 'input' is 3 (CV_16SC1)",
                          "t == CV_8U || t == CV_16U || t == CV_32U || t == CV_64U in function 'getTypes'",
                          "src.type() == CV_32F in function 'softmax_'",
                          "interp_mode != \"tf_crop_and_resize\" in function 'parseResize'",
                          "interpolation == \"bilinear\"' where 'interpolation' is cubic"],
    }

    def lacks(self, name):
        """The worker's pattern, without what the worker imports."""
        with open(os.path.join(ROOT, "workers", "python", name + ".py")) as f:
            tree = ast.parse(f.read())
        space = {"re": re}
        tree.body = [n for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == "LACKS"]
        exec(compile(tree, name, "exec"), space)
        return space["LACKS"]

    def test_words(self):
        for name, texts in self.SAID.items():
            for said in texts:
                self.assertTrue(self.lacks(name).search(said), said)


class Refusals(unittest.TestCase):
    """What OpenCV refuses of a model with a constant that it has no blob for is no valid model refused."""

    def worker(self):
        """The functions of the worker that need nothing of what it imports."""
        with open(os.path.join(ROOT, "workers", "python", "opencv_worker.py")) as f:
            tree = ast.parse(f.read())
        space = {"re": re, "Unsupported": assay_worker.Unsupported, "Rejected": assay_worker.Rejected}
        tree.body = [n for n in tree.body if getattr(n, "name", "") in ("said", "refuse", "unsized")
                     or isinstance(n, ast.Assign) and n.targets[0].id in ("LACKS", "SAID")]
        exec(compile(tree, "opencv_worker", "exec"), space)
        return space

    def refused(self, **constant):
        space = self.worker()
        value = types.SimpleNamespace(size=constant["size"], dtype=types.SimpleNamespace(kind=constant["kind"]))
        graph = types.SimpleNamespace(constants={"w": value})
        with self.assertRaises((assay_worker.Unsupported, assay_worker.Rejected)) as caught:
            space["refuse"]("error: (-215:Assertion failed) total > 0", types.SimpleNamespace(graph=graph))
        return type(caught.exception)

    def test_constants(self):
        self.assertIs(self.refused(size=1, kind="f"), assay_worker.Rejected)
        self.assertIs(self.refused(size=0, kind="f"), assay_worker.Unsupported)
        for kind in "OSU":
            self.assertIs(self.refused(size=1, kind=kind), assay_worker.Unsupported)

    def test_sizes_that_are_not_known(self):
        """Of an axis, or of how many there are; a scalar has none."""
        shapes = {"known": [2, 3], "scalar": [], "named": [None, 3], "empty": [0, 3], "any": None}
        self.assertEqual(self.worker()["unsized"](types.SimpleNamespace(inputs=list(shapes), shapes=shapes)),
                         ["named", "empty", "any"])


if __name__ == "__main__":
    unittest.main()
