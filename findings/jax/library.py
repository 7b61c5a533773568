"""JAX's Python package, and what claims about it share."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ["JAX_PLATFORMS"] = "cpu"

from common import Died, Hung, Refused, array, right, verdict, wrong  # noqa: E402,F401


def with_jax(function):
    """A call of function(jax); JAX is imported in the child, since its threads do not live through a fork."""
    def call():
        import jax

        return function(jax)
    return call
