"""check() and assert_right()."""
import shlex
import tempfile

from .given import given_words
from .program import call_json
from .report import report_of


def check(model, backends=("reference", "ort"), *, inputs=None, dims=None, seed=0, random=None, strict=False,
          localize=True, db=None, more=()):
    """Runs a model on backends and judges each against the double-precision reference: a Report.

    model     a path, a name of `assay zoo list`, or an onnx.ModelProto
    backends  names as `assay check -b` takes them: "ort", "ort@1.20.1", "openvino:f32", "ort=build/lib"
    inputs    {name: array or path}; without them inputs are made up from the seed
    dims      {name: size} of open dimensions
    random    number of made-up inputs (1)
    strict    what only a lower precision explains is wrong, too
    localize  find the node that is to blame
    db        file to record findings in; none by default
    more      further words for the command line
    """
    __tracebackhide__ = True
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        words = ["check", *given_words(model, inputs, dims, folder)]
        shown = ["check", *given_words(model, inputs, dims, None)]
        options = ["-b", ",".join([backends] if isinstance(backends, str) else backends), "--seed", str(seed)]
        if random is not None:
            options += ["--random", str(random)]
        options += ["--strict"] * bool(strict) + ["--no-localize"] * (not localize)
        options += ["--db", str(db)] if db else ["--no-store"]
        options += map(str, more)
        status, said = call_json(*words, *options)
        return report_of(said, status, shlex.join(["assay", *shown, *options]))


def assert_right(model, backends=("reference", "ort"), **options):
    """Fails (AssertionError) when a backend is wrong on a model, or when nothing of a backend could be judged.

    The message names backend, output, element, what it got, what is expected, and the node that is to blame.  It takes
    what check() takes, and returns its Report.
    """
    __tracebackhide__ = True  # pytest shows the test's line, not this one
    report = check(model, backends, **options)
    if not report.ok:
        raise AssertionError(str(report))
    return report
