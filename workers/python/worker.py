#!/usr/bin/env python3
"""Starts the Python worker of one backend: worker.py NAME serves <NAME>_worker.Backend.

The library lies in a folder that PYTHONPATH names, made for one version of Python; another version is told so here
rather than by whatever its first import would say.
"""

import glob
import importlib
import os
import re
import sys

from assay_worker import serve


def unfit(folder):
    """Why this Python cannot use a folder of unpacked wheels, or None: a wheel for CPython says so in its tags."""
    here = f"cp{sys.version_info.major}{sys.version_info.minor}"
    for path in glob.glob(os.path.join(folder, "*.dist-info", "WHEEL")):
        with open(path, encoding="utf-8", errors="replace") as f:
            tags = re.findall(r"^Tag: (\w+)-(\w+)-", f.read(), re.MULTILINE)
        if tags and not any(py == here or abi == "abi3" or py.startswith("py") for py, abi in tags):
            package = os.path.basename(os.path.dirname(path)).removesuffix(".dist-info")
            return f"{package} is for {tags[0][0]}, this Python is {here}; set ASSAY_PYTHON to one that fits"
    return None


class Misfit:
    """Stands in for a backend that cannot be opened, to say why."""

    def __init__(self, library, why):
        self.library, self.why = library, why

    def open(self, folder, options):
        raise RuntimeError(self.why)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: worker.py NAME")
    name = os.path.basename(sys.argv[1])  # assay makes a path of it where it finds a folder of that name
    for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        why = unfit(folder) if folder else None
        if why:
            return serve(Misfit(name, why))
    module = importlib.import_module(f"{name}_worker")
    return serve(module.Backend(), own=os.path.dirname(os.path.abspath(__file__)))


if __name__ == "__main__":
    main()
