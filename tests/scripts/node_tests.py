#!/usr/bin/env python3
"""The node tests of the newest ONNX: the reference passes all but those named here.  node_tests.py ASSAY DEPS"""

import json
import os
import subprocess
import sys
import unittest

import onnx_package

ASSAY, DEPS = sys.argv.pop(1), sys.argv.pop(1)
# Random by specification, and images in formats that the reference does not read.
RANDOM = {"test_training_dropout", "test_training_dropout_default", "test_training_dropout_mask",
          "test_training_dropout_default_mask"}
UNREAD = {f"test_image_decoder_decode_{kind}_rgb" for kind in ("jpeg2k", "tiff", "webp")}


class Nodes(unittest.TestCase):
    def test_reference(self):
        folder = os.path.join(DEPS, "node-tests", "node")
        if not os.path.isdir(folder):
            raise onnx_package.absent(f"no tests in '{folder}': scripts/setup --ci makes them")
        done = subprocess.run([ASSAY, "conform", folder, "--json"], capture_output=True, text=True)
        cases = json.loads(done.stdout)["cases"]
        self.assertGreaterEqual(len(cases), 1884, done.stderr)
        for status, wanted in ("failed", RANDOM), ("unsupported", UNREAD):
            self.assertEqual({c["name"] for c in cases if c["status"] == status}, wanted)


if __name__ == "__main__":
    unittest.main()
