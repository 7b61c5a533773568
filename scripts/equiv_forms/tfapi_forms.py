"""Forms of TensorFlow's documented functions."""

import learned


def forms():
    return learned.forms("tfapi_worker")
