#!/usr/bin/env python3
"""A worker that refuses models of two Neg and more, and does not support others."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "workers", "python"))

from assay_worker import serve
from worker_types import Rejected, Unsupported


class Crowd:
    library = "crowd"

    def open(self, folder, options):
        return "1.0"

    def load(self, model, options, outputs):
        if model.count(b"Neg") > 1:
            raise Rejected("a crowd")
        raise Unsupported("one node")


serve(Crowd())
