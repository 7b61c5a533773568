"""What a library of networks was told, node by node, with values: calls.py of src/backends/bind/record.h.

Every node runs alone, as a network of its own, when it is added; what came of it is the input of the next:

    v0 = take("x", inputs["x"], "float32")
    v1 = take(None, constants["v1"], "float32")
    v2 = op("MAXIMUM", v0, v1)
    made(v2, "float32")

v0.npy, v1.npy, … hold the elements.  A line is in the file before its node runs: the last one tells what a process died
of.
"""

import json
import math
import os

import numpy as np


class Variable(str):
    """A value that was written down: v12."""


def text(value):
    """An argument as the record has it: variables, numbers, texts, types, lists of them."""
    if value is None or isinstance(value, Variable):
        return str(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(text, value))}]"
    if isinstance(value, np.dtype):
        return f'dtype("{value.name}")'
    if isinstance(value, (float, np.floating)):
        return repr(float(value)) if math.isfinite(value) else f'float("{float(value)}")'
    return json.dumps(value) if isinstance(value, str) else str(value if isinstance(value, bool) else int(value))


class Record:
    """A folder that the calls of one run lie in; those of a run before are overwritten."""

    def __init__(self, folder):
        self.folder, self.file = folder, None
        self.begin()

    def begin(self):
        if self.file:
            self.file.close()
        self.file = open(os.path.join(self.folder, "calls.py"), "w", encoding="utf-8")
        self.numbers, self.next = {}, 0

    def _line(self, line):
        self.file.write(f"    {line}\n")
        self.file.flush()

    def _new(self):
        self.next += 1
        return self.next - 1

    def _save(self, number, array):
        np.save(os.path.join(self.folder, f"v{number}.npy"), array)

    def source(self, key, array, name=None):
        """A value that no node made: an input of the graph by its name, or a constant.  Gives its variable."""
        number = self._new()
        self._save(number, array)
        self.numbers[key] = number
        where = f"inputs[{json.dumps(name)}]" if name else f'constants["v{number}"]'
        self._line(f'v{number} = take({json.dumps(name) if name else None}, {where}, "{array.dtype.name}")')
        return Variable(f"v{number}")

    def variable(self, key):
        """What stands for a value that was written down; None: it was not."""
        return Variable(f"v{self.numbers[key]}") if key in self.numbers else None

    def op(self, name, inputs, options):
        """A node that is about to run, on variables (None: left out): its number."""
        arguments = [json.dumps(name)] + [text(value) for value in inputs]
        arguments += [f"{key}={text(value)}" for key, value in options.items()]
        number = self._new()
        self._line(f"v{number} = op({', '.join(arguments)})")
        return number

    def made(self, number, results):
        """What came of a node: pairs of key and array; several are the items of a list."""
        for i, (key, array) in enumerate(results):
            part = self._new() if len(results) > 1 else number
            if part != number:
                self._line(f"v{part} = v{number}[{i}]")
            self._save(part, array)
            self.numbers[key] = part
            self._line(f'made(v{part}, "{array.dtype.name}")')
