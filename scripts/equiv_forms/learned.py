"""Forms of a package's documented functions, learned by trying: a signature says how many arguments there must be,
their names say what they may be, and the installed package says which calls it takes."""

import inspect
import itertools
import os
import re
import signal
import subprocess
import sys

import stated

TRIES = 24          # combinations of arguments, for each kind and shape of tensors
OPTIONS = 4         # forms of a name with another value for one optional parameter
SECONDS = 10        # of one call
SHAPES = ("2,3", "6", "3,3", "2,3,4", "1,6,6,2", "", "2,4,4")
KINDS = ("float32", "int32", "complex64", "bool")

# what a parameter may be by its name; {T}, {V}, {K}, {S}: tensors of the main shape, vectors, kernels and scalars;
# {I}: indices; other words stand as they are
TENSOR = ("{T}", "2", "{V}", "{K}", "0.5", "{S}", "[{T}, {T}]", "(2, 3)", "{I}")
NAMED = (
    (r"ax[ei]s\w*|dims?|dimensions?|.*_axis|.*_dimension|source|destination",
     ("0", "1", "-1", "(0,)", "[0]", "(1, 0)")),
    (r"(new_?|out(put)?_|target_|broadcast_)?(shape|sizes?)|multiples|repeats|reps|perm(utation)?|begin|start_indices",
     ("(2, 3)", "(3, 2)", "[1, 0]", "2", "(6,)", "(4, 4)", "[1, 2]", "(0, 0)", "[0, 0]", "(1, 4, 4, 2)")),
    (r"(new_)?d?type|t?out_?type|.*_dtype", ("'int32'", "'float32'")),
    (r"padding|pad_?width|paddings", ("'SAME'", "((0, 1), (1, 0))", "[[0, 1], [1, 0]]", "1", "((0, 0), (1, 1))")),
    (r"(segment_|class_)?(indices|index|idx|ids|labels)\w*|.*_ids|indices\w*", ("{I}", "{J}", "0", "[0, 1]", "1")),
    (r"n|k|m|num\w*|depth|order|size|length|width|shift|.*_length|frame_step|offset|decimals|deg|N|M|block_size|factor|"
     r"groups|.*_size|ksize|strides?|window\w*|rate|bins", ("2", "1", "3", "(1, 1)", "[1, 2, 2, 1]", "(2, 2)")),
    (r"arrays?|tensors|arys|tup|inputs|values|operands|xs|list|seq\w*|matrices",
     ("[{T}, {T}]", "{T}", "{T}, {T}", "{S}", "[{S}, {S}]")),
    (r"filters?|kernel|rhs|weights?|taps|v", ("{T}", "{K}", "{V}", "2")),
    (r"value_range", ("(0.5, 5.0)",)),
    (r"subscripts|equation|expression", ("'ij->ji'", "'ij,ij->i'")),
    (r"mask|condition|cond|predicate|pred|where|which|select_array", ("{B}", "{T}", "{S}")),
    (r"q|p|quantiles?|alpha|rate|epsilon|variance_epsilon|delta|on_value|off_value|stddev|lower|upper|min|max|"
     r"a_min|a_max|clip_\w+|.*_factor|x0|fill_value|val|constant|scale", ("{T}", "0.5", "2", "{V}", "{S}")),
)
FUNCTIONS = re.compile(r"f|fn|fun|func\w*|.*_fun|.*_fn|callable|callback|computation|body|branches|reducer|"
                       r"python_callable")
WRITES = re.compile(r"save|load|write|print|set_|assert|seed|file|device|py_func|numpy_func|custom_|while_|debug|"
                    r"config|register|shuffle|random_|checkpoint|from_dlpack|memory|timestamp|get_|initial|optim")
UNMOVED = {"name", "out", "dtype", "precision", "preferred_element_type", "sharding", "out_sharding", "device", "where",
           "initial", "seed", "order", "copy", "like", "casting", "subok", "signature", "extobj"}


class Slow(Exception):
    """A call that takes too long."""


def expected(_number, _frame):
    raise Slow


def numbers(kind, shape):
    """Any numbers, those of the kind 'int32.below2' in its range."""
    import numpy
    name, _, below = kind.replace(".positive", "").partition(".below")
    count = int(numpy.prod(shape, dtype=int))
    made = numpy.arange(count) % int(below) if below else (numpy.arange(count) % 5 + 1) / 4
    return made.reshape(shape).astype(name)


def works(backend, form):
    """Whether the library takes a form, and gives something."""
    variables = [v.partition(":")[2].partition("[") for v in form.partition(" | ")[0].split()]
    signal.signal(signal.SIGALRM, expected)
    signal.alarm(SECONDS)
    try:
        return backend.takes(backend.form(form), [
            numbers(kind, [int(n) for n in sizes[:-1].split(",") if n]) for kind, _, sizes in variables])
    except (Exception, Slow):
        return False
    finally:
        signal.alarm(0)


def texts(parameter, text):
    """Words for it: of the type that its text states, then by its name, else by the signature."""
    by_name = next((words for pattern, words in NAMED if re.fullmatch(pattern, parameter.name)), None)
    rest = by_name or stated.by_annotation(parameter, text) or TENSOR
    return tuple(dict.fromkeys(stated.by_text(text, parameter.name) + rest))


def parameters(function):
    """Those that must be given, and those that need not; None where nobody says."""
    if hasattr(function, "nin"):  # a function of elements, as numpy has them
        return [inspect.Parameter(f"x{i}", inspect.Parameter.POSITIONAL_ONLY) for i in range(function.nin)], []
    try:
        all_of = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    given = [p for p in all_of if p.default is p.empty and p.kind not in (p.VAR_KEYWORD,)]
    return given, [p for p in all_of if p.default is not p.empty]


class Words:
    """One call as text: words become variables."""

    def __init__(self, kind, shape):
        last = shape.rpartition(",")[2]
        channels = last or "1"
        self.sizes = {"T": (kind, shape), "V": (kind, channels), "S": (kind, ""),
                      "K": (kind, f"3,3,{channels},2"), "B": ("bool", shape), "I": ("int32.below2", "2"),
                      "J": ("int32.below2", shape)}
        # of the type that a text states (stated.py), whatever the kind is
        self.sizes.update(f=("float32", shape), c=("complex64", shape), b=("bool", shape), u=("uint8.below256", shape),
                          i=("int32.below2", shape), l=("int64.below2", shape))
        self.variables = []

    def variable(self, match):
        kind, shape = self.sizes[match.group(1)]
        self.variables.append(f"t{len(self.variables)}:{kind}[{shape}]")
        return f"t{len(self.variables) - 1}"

    def form(self, name, arguments):
        call = re.sub(r"\{(\w)\}", self.variable, f"{name}({', '.join(arguments)})")
        return f"{' '.join(self.variables)} | {call}" if self.variables else None


def argument(parameter, word):
    return f"{parameter.name}={word}" if parameter.kind is parameter.KEYWORD_ONLY else word


def combinations(given, text=""):
    """Words for each parameter, the likeliest first."""
    choices = [texts(p, text) for p in given]
    every = itertools.islice(itertools.product(*[range(len(c)) for c in choices]), 20000)
    for chosen in sorted(every, key=lambda c: (sum(c), c))[:TRIES]:
        yield tuple(argument(p, c[i]) for p, c, i in zip(given, choices, chosen))


def other_values(parameter, text):
    default = parameter.default
    if isinstance(default, bool):
        return [repr(not default)]
    if re.fullmatch(r"keep_?dims", parameter.name):
        return ["True"]
    if re.fullmatch(r"ax[ei]s\d?", parameter.name):
        return [w for w in ("0", "-1", "1") if w != repr(default)]
    if isinstance(default, int):
        return [repr(default + 1), repr(default - 1)]
    if isinstance(default, float) and default == default and abs(default) < 1e9:
        return [repr(default * 0.5 + 0.25)]
    if isinstance(default, str):
        return [repr(w) for w in sorted(set(re.findall(r"['\"`]([A-Za-z_]+)['\"`]", text))) if w != default][:8]
    return []


class Learner:
    def __init__(self, backend):
        self.backend, self.tried = backend, {}

    def works(self, form):
        if form not in self.tried:
            self.tried[form] = works(self.backend, form)
        return self.tried[form]

    def first(self, name, kind, shapes, combos):
        """The first call with tensors of a kind: its form, its arguments, and the shape."""
        for shape in shapes:
            for arguments in combos:
                form = Words(kind, shape).form(name, arguments)
                if form and self.works(form):
                    return form, arguments, shape
        return None

    def forms(self, name, function):
        asked = parameters(function)
        if WRITES.search(name.rpartition(".")[2]) or asked is None or \
                any(FUNCTIONS.fullmatch(p.name) for p in asked[0]) or len(asked[0]) > 6:
            return
        combos = list(combinations(asked[0], inspect.getdoc(function) or ""))
        known = None
        for kind in KINDS:
            if (kind == "bool" and known) or (kind == "complex64" and not known):
                continue
            found = self.first(name, kind, [known[2]] if known else SHAPES, [known[1]] if known else combos)
            if not found:
                continue
            yield found[0]
            if not known:
                yield from self.varied(name, kind, found, asked[1], inspect.getdoc(function) or "")
            known = known or found

    def varied(self, name, kind, found, optional, text):
        """Another shape, and other values for optional parameters."""
        _, arguments, shape = found
        other = self.first(name, kind, [s for s in SHAPES if s != shape], [arguments])
        if other:
            yield other[0]
        taken = 0
        for p in optional:
            if p.name in UNMOVED or taken == OPTIONS:
                continue
            for word in other_values(p, text):
                form = Words(kind, shape).form(name, [*arguments, f"{p.name}={word}"])
                if form and self.works(form):
                    yield form
                    taken += 1
                    if re.fullmatch(r"ax[ei]s", p.name):
                        yield from self.twice(name, kind, arguments, p.name)
                    break

    def twice(self, name, kind, arguments, axes):
        """One axis two times, of sizes 1: no call that a library must take, but programs must not take it either."""
        form = Words(kind, "1,1").form(name, [*arguments, f"{axes}=[0, 0]"])
        lenient = getattr(self.backend, "lenient", None)
        if form and lenient and len(form.split(" | ")[0].split()) == 1:
            kept, self.backend.mode = self.backend.mode, lenient
            if works(self.backend, form):
                yield form
            self.backend.mode = kept


def found(backend, name):
    """What a documented name stands for."""
    first, *rest = name.split(".")
    value = backend.space[first]
    for part in rest:
        value = getattr(value, part)
    return value


def patterns(prefix):
    """Two functions, one after the other: what optimizers make something else of."""
    binary = ("add", "subtract", "multiply", "divide", "maximum", "minimum")
    for outer, inner in itertools.product(binary, binary):
        yield 3, outer, f"{prefix}.{outer}({prefix}.{inner}(t0, t1), t2)"
        yield 3, outer, f"{prefix}.{outer}(t1, {prefix}.{inner}(t0, t2))"
    for inner in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"):
        yield 2, "logical_not", f"{prefix}.logical_not({prefix}.{inner}(t0, t1))"
    for outer in ("reduce_max", "reduce_min", "max", "min", "argmax"):
        for inner in ("sqrt", "log", "log1p", "rsqrt", "exp", "tanh", "negative", "abs"):
            yield 1, outer, f"{prefix}.{outer}({prefix}.{inner}(t0))"


def chains(backend, prefix):
    """Those that the library takes."""
    for n, outer, call in patterns(prefix):
        form = f"{' '.join(f't{i}:float32[2,3]' for i in range(n))} | {call}"
        if works(backend, form):
            yield f"{prefix}.{outer}", form


def speak(make, start, learner_of=Learner):
    """Prints the forms of all names from number `start` on, and before each name its number.

    $EQUIV_NAMES: a pattern of names, the others are left out, and so are patterns of functions."""
    backend = make()
    backend.open("", {})
    only = os.environ.get("EQUIV_NAMES", "")
    learner, names = learner_of(backend), [n for n in backend.names() if re.match(only, n)]
    for i, name in enumerate(names[start:], start):
        print(i, flush=True)
        for form in dict.fromkeys(learner.forms(name, found(backend, name))):
            if '"' not in form and "\t" not in form:
                print(name, form, sep="\t", flush=True)
    for name, form in () if only else chains(backend, backend.elements):
        print(name, form, sep="\t", flush=True)
    print("end", flush=True)


def forms(module, learner="learned.Learner"):
    """(name, form) of all documented names that a call was found of.  A call may end the process: another one goes on
    behind the name that did."""
    at, ended = -1, False
    while not ended:
        program = f"import learned, {module}, {learner.partition('.')[0]}; " \
            f"learned.speak({module}.Backend, {at + 1}, {learner})"
        child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        began = at
        for line in child.stdout:
            name, _, form = line.rstrip("\n").partition("\t")
            if form:
                yield name, form
            elif name == "end":
                ended = True
            elif name.isdigit():  # what a library prints itself is no form
                at = int(name)
        if child.wait() and at == began and not ended:
            raise RuntimeError(f"{module} does not start")
