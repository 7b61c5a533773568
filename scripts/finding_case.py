"""What a claim's script says of its fault, without the library: ONNX texts, inputs, what is right and what comes out.

The script runs with stand-ins for its imports.  A stand-in takes any call and gives another one, so a text or a number
that would need the library, or numpy, is known to be unknown.
"""

import ast
import builtins
import types

# Real in scripts; everything else that they import is stood in for, so that pages do not depend on what is installed.
REAL_MODULES = ("math", "itertools", "struct", "functools")
MOST_NUMBERS = 12


class Unknown:
    """Stands in for what only the library, or numpy, could say."""

    def __init__(self, *_, **__):
        pass

    def __call__(self, *_, **__):
        return Unknown()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown()

    def __getitem__(self, _):
        return Unknown()

    def __iter__(self):
        raise TypeError("unknown")

    def __setitem__(self, *_):
        pass

    def __repr__(self):
        raise TypeError("unknown")  # it must not get into a text

    def __bool__(self):
        raise TypeError("unknown")


for _name in ("add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul and "
              "rand or ror xor rxor lshift rshift neg pos abs invert lt le gt ge eq ne").split():
    setattr(Unknown, f"__{_name}__", Unknown.__call__)
Unknown.__hash__ = object.__hash__


class Effect(Unknown):
    """Refused, Died or Hung, as findings/common.py has them."""

    text = ""

    def __init__(self, words=""):
        self.words = words if isinstance(words, str) else ""

    def __repr__(self):
        return self.text + (f" ({self.words})" if self.words else "")


class Refused(Effect):
    text = "refused"


class Died(Effect):
    text = "the process dies"


class Hung(Effect):
    text = "no answer in time"


class Array:
    """array(shape, values, kind) of findings/common.py"""

    def __init__(self, shape, values, kind=None):
        self.values = list(values) if isinstance(values, tuple) else values
        self.shape = numbers(shape)


class Case:
    """`ran` has the graphs that the call runs, each with the texts of its inputs."""

    def __init__(self, what, ran, expected, seen):
        self.what, self.ran, self.expected, self.seen = what, ran, text_of(expected), text_of(seen)
        shapes = [value.shape for value in (expected, seen) if isinstance(value, Array) and value.shape is not None]
        if len(shapes) == 2 and shapes[0] != shapes[1]:
            self.expected, self.seen = [f"shape {shape}" + (f" of {text}" if text else "")
                                        for shape, text in zip(shapes, (self.expected, self.seen))]

    def graphs(self):
        return [graph for graph, _ in self.ran]

    def told(self):
        """Inputs, what is right and what comes out, as far as they are known and short."""
        inputs = [text for _, values in self.ran[:1] for text in values]
        words = [("inputs " if len(inputs) > 1 else "input ") + " | ".join(inputs)] if inputs and all(inputs) else []
        return "; ".join(words + [f"{word} {text}" for word, text in (("expected", self.expected), ("got", self.seen))
                                  if text])


def numbers(value):
    """The numbers of nested lists, flat; None where something in it is unknown."""
    if isinstance(value, (list, tuple)):
        parts = [numbers(v) for v in value]
        return None if None in parts else [n for part in parts for n in part]
    return [value] if type(value) in (int, float, bool, str) else None


def text_of(value):
    """A result in words, or nothing where it is not known or long."""
    if isinstance(value, Effect):
        return repr(value)
    if isinstance(value, tuple):
        parts = [text_of(v) for v in value]
        return "" if "" in parts else "; ".join(parts)
    if isinstance(value, Array):
        return text_of(value.values)
    flat = numbers(value)
    if flat == []:
        return "nothing"
    if not flat or len(flat) > MOST_NUMBERS:
        return ""
    return ", ".join(n if isinstance(n, str) else "NaN" if n != n else f"{n:.9g}" if isinstance(n, float) else str(n)
                     for n in flat)


class Graph(Unknown):
    """A model, in ONNX's text, or a layer."""

    def __init__(self, text, kind):
        self.text, self.kind = text, kind

    def same(self, other):
        return (self.text, self.kind) == (other.text, other.kind)


class Script:
    """Runs a script and notes its faults; `cases` has those up to where something unknown was needed."""

    def __init__(self, path):
        self.cases, self.ran = [], []
        with open(path, encoding="utf-8") as f:
            tree = ast.parse(f.read())
        names = {"__name__": "claim", "__file__": path, "__builtins__": dict(vars(builtins), __import__=self.load)}
        self.attempt(lambda: exec(compile(tree, path, "exec"), names))  # a file of this project

    @staticmethod
    def attempt(call):
        try:
            call()
        except Exception:  # it needed what is unknown
            pass

    def load(self, name, *rest):
        if name in REAL_MODULES:
            return __import__(name, *rest)
        words = {"model": self.model, "run": self.run, "call": self.call, "layer": self.layer, "wrong": self.wrong,
                 "right": lambda *_, **__: None, "array": Array, "Refused": Refused, "Died": Died, "Hung": Hung}
        module = types.ModuleType(name)
        module.__getattr__ = lambda word: words.get(word) or Unknown()
        return module

    @staticmethod
    def graph(text, kind):
        return Graph(text, kind) if isinstance(text, str) else Unknown()

    def model(self, text, opset=13, ir=8, check=True, ml=0):
        return self.graph(text, f"opset {opset}" + (f", ai.onnx.ml {ml}" if ml else ""))

    def run(self, graph, *values, **_):
        if isinstance(graph, Graph):
            self.ran.append((graph, [text_of(list(v) if isinstance(v, tuple) else v) for v in values]))
        return Unknown()

    def call(self, text, *values, opset=13, ml=0, **_):
        graph = self.model(text, opset=opset, ml=ml)
        return lambda: self.run(graph, *values)

    def layer(self, text, *values):
        graph = self.graph(text, "A layer, as in a .param file")
        return lambda: self.run(graph, *values)

    def wrong(self, what, call, expected, seen=None, **_):
        self.ran = []
        self.attempt(call)
        self.cases.append(Case(what if isinstance(what, str) else "", self.ran, expected, seen))


def cases_of(path):
    return Script(path).cases
