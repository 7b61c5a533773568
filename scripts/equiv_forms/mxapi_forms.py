"""Forms of MXNet's documented functions."""

import learned


def forms():
    return learned.forms("mxapi_worker")
