"""PyTensor's Python package, and what claims about it share."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, right, verdict, wrong  # noqa: E402,F401

import pytensor  # noqa: E402
import pytensor.tensor as pt  # noqa: E402,F401
