"""Forms of TensorFlow's documented functions: what trying finds, and calls that are written down."""

import os
import re

import learned
import tf_calls
from tfapi_worker import Backend


def written():
    """Those that the package takes."""
    backend = Backend()
    backend.open("", {})
    for name, form in tf_calls.calls():
        if re.match(os.environ.get("EQUIV_NAMES", ""), name) and learned.works(backend, form):
            yield name, form


def forms():
    for name, form in learned.forms("tfapi_worker"):
        if not name.startswith("tf.keras.ops."):  # they are keras.ops, which kerasapi has
            yield name, form
    yield from written()
