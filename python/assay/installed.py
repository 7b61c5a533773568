"""Libraries under test: which there are, and installing more."""
from dataclasses import dataclass
from typing import Tuple

from .program import call, call_json


@dataclass(frozen=True)
class Backend:
    """A library that is installed; `name` is what check() takes."""
    name: str
    version: str
    path: str
    option_sets: Tuple[str, ...]


def backends():
    """The libraries that are installed."""
    return [Backend(b["name"], b["version"], b["path"], tuple(b["option_sets"]))
            for b in call_json("backends", "list")[1]["installed"]]


def install(*names):
    """Installs libraries: "ort", "ort@1.20.1".  One that is already there is left as it is."""
    call("backends", "install", *names)
