#!/usr/bin/env python3
"""A worker that tells which process it is: [where the library was opened, where this runs, the option "number"], as
float32.  Dies of 13."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "workers", "python"))

from assay_worker import Tensor, serve


class Mortal:
    library = "mortal"

    def open(self, folder, options):
        self.opened = os.getpid()
        self.reopen(options)
        return "1.0"

    def reopen(self, options):
        self.number = int(options.get("number", "0"))

    def load(self, model, options, outputs):
        return "y"

    def outputs(self, session):
        return ["y"]

    def run(self, session, inputs, names):
        if 13 in inputs["x"].numbers():
            os.abort()
        with open("here", "w", encoding="utf-8") as f:  # its folder is its own
            f.write("here")
        print("still", os.getcwd())
        return [Tensor.of("float32", [3], [self.opened, os.getpid(), self.number])]


serve(Mortal())
