"""Forms of JAX's documented functions."""

import learned


def forms():
    return learned.forms("jaxapi_worker")
