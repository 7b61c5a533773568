"""Calls of documented functions: what the workers of Python packages share.

A form (src/methods/equiv/form.h) is a text: variables, what is made once (if anything), and a call.

    t0:float32[2,3] t1:float32[3] | torch.add(t0, t1, alpha=2)
    t0:float32[2,4] | torch.nn.Linear(4, 3) | m(t0)

It comes from a file of the project by way of assay, and a store of findings is anybody's: a form is an expression of
calls, public names and constants, and nothing else is evaluated.
"""

import ast
import functools
import inspect
import math
import os

from values import from_numpy, to_numpy
from worker_types import Operation, Parameter, Rejected, Unsupported

MARK = " | "
NODES = (ast.Expression, ast.Call, ast.Attribute, ast.Name, ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.keyword,
         ast.UnaryOp, ast.USub, ast.Subscript, ast.Slice, ast.Load)
MADE = "m"  # what a form with three parts calls the object that it makes
BUILTIN = {"list": list}  # what a form may call of Python itself: the batches of a loader, one after the other
KEPT = 64  # compiled programs

# what a library says where it does not have something: no finding on either side
ABSENT = ("not implemented", "not supported", "not yet", "unsupported", "does not support", "no support",
          "only supports", "only implemented", "NotImplemented", "isn't supported", "not compatible", "Unsupported",
          "cannot be traced")


def checked(text, names):
    """The expression as a tree; Rejected when it is more than a call of public names, or of those in BUILTIN."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError) as e:
        raise Rejected(f"the form cannot be read: {e}") from None
    for node in ast.walk(tree):
        if not isinstance(node, NODES):
            raise Rejected(f"a form has no {type(node).__name__}")
        if isinstance(node, ast.Name) and node.id not in names and node.id not in BUILTIN:
            raise Rejected(f"a form has no name '{node.id}'")
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            raise Rejected(f"'{node.attr}' is not a public name")
    return tree


class Form:
    """One form over the packages of `space` (their names in texts, and what they are)."""

    def __init__(self, text, space):
        variables, *made, self.call = text.split(MARK)
        if len(made) > 1:
            raise Rejected("a form has two or three parts")
        self.text, self.space = text, space
        self.variables = [v.partition(":")[0] for v in variables.split()]
        self.made = made[0] if made else None
        self.tree = checked(self.call, {*space, *self.variables, MADE})

    def make(self):
        """The object that a form with three parts calls."""
        return None if self.made is None else self.evaluate(checked(self.made, set(self.space)))

    def evaluate(self, tree, **more):
        code = compile(ast.fix_missing_locations(tree), "form", "eval")
        # what Python has built in stays: a library called here may import; torch.jit.trace asks functions for a module
        return eval(code, {"__name__": "form", **self.space, **more})

    def function(self, made=None, tree=None, more=()):
        """A function of the form's tensors; `more`: names of further arguments that another tree has."""
        arguments = ast.arguments([], [ast.arg(v) for v in [*self.variables, *more]], None, [], [], None, [])
        return self.evaluate(ast.Expression(ast.Lambda(arguments, (tree or self.tree).body)), **{MADE: made})


def operations(names, documents):
    """The list: every name with the two parameters of a form."""
    parameters = [Parameter("form", "form"), Parameter("tensors", "tensors", is_input=True, optional=True)]
    return [Operation(name, parameters, 1, (documents.get(name) or "").strip().partition("\n")[0]) for name in names]


def public(module, prefix, wanted=callable):
    """Documented names of a module: public, with a text that tells what it is; and the texts."""
    names = {}
    for name in sorted(getattr(module, "__all__", None) or dir(module)):
        value = getattr(module, name, None)
        if name.startswith("_") or inspect.ismodule(value) or not wanted(value):
            continue
        text = inspect.getdoc(value)
        if text:
            names[f"{prefix}.{name}"] = text
    return names


def leaves(value, is_array):
    """The arrays and numbers of a result, in order."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value, key=str) for leaf in leaves(value[key], is_array)]
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item, is_array)]
    return [value] if is_array(value) or isinstance(value, (bool, int, float, complex)) else []


def public_of(places, wanted=callable):
    """public() of several modules: pairs of a module and its name."""
    names = {}
    for module, prefix in places:
        names.update(public(module, prefix, wanted))
    return names


def is_function(value):
    return callable(value) and not isinstance(value, type)


PATTERN = (1.0, -0.5, 0.75, -1.0, 0.5, 0.25, -0.75)


def direction(shape, start):
    """Small numbers of both signs, others for each tensor, as an array of numpy's: what derivatives are taken along."""
    import numpy
    count = int(numpy.prod(shape, dtype=int))
    return numpy.array(PATTERN)[(numpy.arange(count) + start) % len(PATTERN)].reshape(shape)


def drawn(number, shape):
    """The heads of a number: backend_head() in src/worker/backend.h."""
    import numpy
    count = int(numpy.prod(shape, dtype=int))
    mixed = (numpy.arange(count, dtype=numpy.uint64) + numpy.uint64(number)) * numpy.uint64(2654435761)
    return ((2.0 * (mixed % numpy.uint64(2**32) >> numpy.uint64(28)) - 15) / 16).reshape(shape)


def check_value(y):
    """A function has no derivative where it has no value."""
    if not math.isfinite(float(y)):
        raise Unsupported("no derivative where the function itself is not a number")


def check_gpu():
    if not os.path.exists("/dev/nvidia0"):
        raise Unsupported("no GPU: there is no /dev/nvidia0")


class Backend:
    """What workers of packages share.  A library's own are
    space: the packages of a form, by the names that forms call them
    modes: ways to make a call, by name; each a function of the backend, a form and tensors
    names(): documented names with their texts
    tensor(array), array(value), is_array(value): from numpy, to numpy, and whether something is a tensor
    """

    capabilities = ("load", "invoke", "list")  # the protocol wants load; there are no models here
    absent = ABSENT
    heads = 0  # number of what results are weighed with when they are derived, and of the direction; 0: PATTERN
    lenient = None  # a mode that takes calls which plain ones may refuse (scripts/equiv-forms)

    def __init__(self):
        self.programs = {}

    def kept(self, key, make):
        """What was compiled for a key in this mode before, or is now; after KEPT of them all are forgotten."""
        key = self.mode, key
        if key not in self.programs:
            if len(self.programs) == KEPT:
                self.programs.clear()
            self.programs[key] = make()
        return self.programs[key]

    def reopen(self, options):
        self.mode = options.get("mode", "eager")
        if self.mode not in self.modes:
            raise Rejected(f"mode={self.mode}: there are {', '.join(self.modes)}")

    def list(self, prefix):
        names = self.names()
        return operations([n for n in names if n.startswith(prefix)], names)

    @functools.lru_cache(maxsize=256)
    def form(self, text):
        return Form(text, self.space)

    def made(self, form):
        """What a form calls, with the same numbers in every process."""
        return form.make()

    def function(self, form):
        return form.function(self.made(form))

    def head(self, shape, k):
        """What result k is multiplied with before all are summed."""
        return drawn(self.heads + 101 * k, shape) if self.heads else direction(shape, 3 * k + 1)

    def along(self, shape, i):
        """The direction that derivatives are along: its part for tensor i of those that are derived by."""
        return drawn(self.heads + 1009 + 17 * i, shape) if self.heads else direction(shape, i)

    def attempt(self, call):
        """What a call of the library gives; what it says where it gives nothing, as the protocol has it."""
        try:
            return call()
        except (Unsupported, Rejected, MemoryError):
            raise
        except Exception as e:
            said = f"{type(e).__name__}: {e}"
            if "CUDA error" in said:  # no later call on that device would work
                raise SystemExit(said) from None
            if any(word in said for word in self.absent):
                raise Unsupported(said[:1000]) from None
            raise Rejected(said[:1000]) from None

    def call(self, form, arrays):
        """Results as arrays of numpy's."""
        result = self.attempt(lambda: self.modes[self.mode](self, form, [self.tensor(a) for a in arrays]))
        return [self.array(v) for v in leaves(result, self.is_array)]

    def slopes(self, form, tensors):
        """The float results, and the gradient of Σ head · result by each tensor: None where it is no float."""
        raise Unsupported(f"{self.library}: gradients of its functions are not asked for")

    def derive(self, form, arrays):
        """Likewise as arrays of numpy's: where there is no gradient, the tensor itself stands for it."""
        values, gradients = self.attempt(lambda: self.slopes(form, [self.tensor(a) for a in arrays]))
        return [self.array(v) for v in values], [a if g is None else self.array(g) for a, g in zip(arrays, gradients)]

    def takes(self, form, arrays):
        """Whether the library takes a call, and gives something; for those who look for such calls."""
        return bool(self.call(form, arrays))

    def invoke(self, operation, arguments, gradient):
        named = dict(arguments)
        form = self.form(named.get("form") or "")
        tensors = [to_numpy(v) for v in named.get("tensors") or []]
        if len(tensors) != len(form.variables):
            raise Rejected(f"{len(tensors)} tensors for {len(form.variables)} variables")
        values, gradients = self.derive(form, tensors) if gradient else (self.call(form, tensors), [])
        return [from_numpy(v) for v in values], [from_numpy(v) for v in gradients]

    def load(self, model, options, outputs):
        raise Unsupported(f"{self.library}: its functions are called by name; it is given no models")

    def run(self, session, inputs, names):
        raise Unsupported("there are no models")
