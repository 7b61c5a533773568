"""Programs of this project without .py in their names, as modules."""

import importlib.machinery
import importlib.util
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def load(path):
    """The program at a path below the root, as 'bench/claims'."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(path.replace("/", "_").replace("-", "_").replace(".", "_"),
                                                  os.path.join(ROOT, path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module
