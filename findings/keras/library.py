"""Keras, and what claims about it share."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ["JAX_PLATFORMS"], os.environ["TF_CPP_MIN_LOG_LEVEL"] = "cpu", "3"

from common import Died, Hung, Refused, array, right, verdict, wrong  # noqa: E402,F401


def with_keras(arrays, function):
    """A call of function(keras.ops, numpy) with one array library below Keras; all are imported in the child."""
    if "keras" in sys.modules:
        raise RuntimeError("Keras was imported before, over some array library")  # by preload.py

    def call():
        os.environ["KERAS_BACKEND"] = arrays
        import numpy as np
        from keras import ops

        return np.asarray(ops.convert_to_numpy(function(ops, np)))
    return call
