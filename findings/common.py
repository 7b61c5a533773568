"""What claims share: a call in a process of its own, and the comparison with what is right.

A claim says wrong(…) of the cases that show its fault and right(…) of those beside them that do not, then verdict().
docs/claims.md tells the rest.  No library is imported here, and nothing of assay.
"""

import os
import pickle
import select
import signal
import sys
import traceback

import numpy as np

_here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, _here)
from patience import Limit, end  # noqa: E402

sys.path[:] = [p for p in sys.path if p != _here]  # a library that tries `import torch` must not find findings/torch

SHOWS, RIGHT, NOT_RUN, OTHERWISE, CANNOT_SAY = 1, 0, 2, 3, 4  # exit statuses
_cases = []  # of each: a neighbour?, right?, as claimed?, refused?, refused though neither right nor claimed?


def _not_run(*error):
    traceback.print_exception(*error)
    sys.stderr.flush()
    os._exit(NOT_RUN)


sys.excepthook = _not_run  # Python's own status for it is 1, which means "shows" here


class Refused:
    """The call raised an exception, whose message has these words."""

    text = "refused"

    def __init__(self, words=""):
        self.words = words

    def __repr__(self):
        return self.text + (": " + " ".join(self.words.split())[:150] if self.words else "")

    def covers(self, other):
        return type(other) is type(self) and self.words in other.words


class Died(Refused):
    """The process ended by this signal, or by any."""

    text = "the process died"


class Hung(Refused):
    """The call did not come back in time."""

    text = "no answer in time"


def _answer(call):
    try:
        values = call()
        return [np.asarray(v) for v in (values if isinstance(values, (list, tuple)) else [values])]
    except Exception as e:
        return Refused("%s: %s" % (type(e).__name__, e))


def _child(call, write):
    quiet = os.open(os.devnull, os.O_WRONLY)
    if not os.environ.get("CLAIMS_LOUD"):
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
    data = pickle.dumps(_answer(call))
    while data:
        data = data[os.write(write, data):]
    os._exit(0)


def outcome(call, seconds=60):
    """A list of arrays, Refused, Died or Hung: what the call does in a child of this process.  patience.py: seconds."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        _child(call, write)
    os.close(write)
    data, late, limit = b"", False, Limit(pid, seconds)
    while not late:
        if select.select([read], [], [], limit.pause)[0]:
            part = os.read(read, 1 << 16)
            if not part:
                break
            data += part
        else:
            late = limit.over()
    os.close(read)
    if late:
        end(pid)
    status = os.waitpid(pid, 0)[1]
    if late:
        return Hung()
    if os.WIFSIGNALED(status):
        return Died(signal.Signals(os.WTERMSIG(status)).name)
    return pickle.loads(data) if data else Died("exit status %d" % os.WEXITSTATUS(status))


def _listed(value):
    return list(value) if isinstance(value, tuple) else [value]


def _close(got, want, rel, abs_):
    """An array must have the type, the shape and the values, a list or number the values alone."""
    if isinstance(want, np.ndarray) and (got.shape != want.shape or got.dtype != want.dtype):
        return False
    want = np.asarray(want)
    if got.size != want.size:
        return False
    if got.dtype.kind not in "fciub" or want.dtype.kind not in "fciub":
        return got.ravel().tolist() == want.ravel().tolist()
    kind = complex if "c" in (got.dtype.kind, want.dtype.kind) else float
    return np.allclose(got.ravel().astype(kind), want.ravel().astype(kind), rel, abs_, equal_nan=True)


def same(got, want, rel=1e-5, abs=1e-6):
    if isinstance(want, Refused):
        return want.covers(got)
    want = _listed(want)
    return isinstance(got, list) and len(got) >= len(want) and all(_close(g, w, rel, abs) for g, w in zip(got, want))


def _text(value):
    """A list of outputs; one element of it may say that there are none."""
    if isinstance(value, Refused):
        value = [value]
    if value and isinstance(value[0], Refused):
        return repr(value[0])
    parts = []
    for v in value:
        flat = np.asarray(v).ravel()
        words = ["%.9g" % n if flat.dtype.kind == "f" else str(n) for n in flat[:12]]
        shape = "" if isinstance(v, (list, int, float)) else "%s%s " % (v.dtype, list(v.shape))
        parts.append(shape + " ".join(words) + (" …" if flat.size > 12 else ""))
    return " | ".join(parts)


def _case(what, call, expected, seen, wanted, seconds, limits):
    got = outcome(call, seconds)
    is_right = same(got, expected, **limits)
    holds = is_right == wanted and (seen is None or is_right or same(got, seen, **limits))
    refused = type(got) is Refused
    _cases.append((wanted, is_right, holds, refused, refused and not is_right and not isinstance(seen, Refused)))
    print("%s: %s" % ("beside it" if wanted else "the fault", what))
    print("  expected %s" % _text(_listed(expected)))
    print("  got      %s" % _text(got))
    if not holds and not wanted and not is_right and seen is not None:
        print("  claimed  %s" % _text(_listed(seen)))
    sys.stdout.flush()


def wrong(what, call, expected, seen=None, seconds=60, **limits):
    """The fault: the call does not give `expected`; where `seen` is given, it gives that.  Tuples: several outputs."""
    _case(what, call, expected, seen, False, seconds, limits)


def right(what, call, expected, seconds=60, **limits):
    """A neighbour just outside of the condition: the call gives `expected`."""
    _case(what, call, expected, None, True, seconds, limits)


def _cannot_say():
    """The library, an old one perhaps, refuses the case itself, or neighbours too: it says nothing about the fault."""
    faults = [(refused, unsaid) for wanted, _, _, refused, unsaid in _cases if not wanted]
    beside = [unsaid for wanted, _, _, _, unsaid in _cases if wanted]
    return all(refused for refused, _ in faults) and (any(unsaid for _, unsaid in faults) or any(beside))


def verdict():
    if _cannot_say():
        status, words = CANNOT_SAY, "the library refuses the case"
    elif all(holds for _, _, holds, _, _ in _cases):
        status, words = SHOWS, "the fault shows"
    elif all(is_right for wanted, is_right, _, _, _ in _cases if not wanted):
        status, words = RIGHT, "the fault does not show"
    else:
        status, words = OTHERWISE, "it shows, but not as the claim says"
    print(words)
    sys.stdout.flush()
    os._exit(status)


# Models, for libraries that read ONNX

def model(text, opset=13, ir=8, check=True, ml=0):
    """A model from a graph in ONNX's own text, `(float[2] x) => (float[2] y) { y = Abs(x) }`."""
    import onnx
    import onnx.parser

    domains = '"" : %d' % opset + (', "ai.onnx.ml" : %d' % ml if ml else "")
    m = onnx.parser.parse_model("<ir_version: %d, opset_import: [%s]> g %s" % (ir, domains, text))
    if check:
        onnx.checker.check_model(m, full_check=True)
    return m


def feeds(m, values):
    """name → array, of the types and, where they are fixed, the shapes of the model's inputs."""
    import onnx

    names = {i.name for i in m.graph.initializer}
    inputs = [i for i in m.graph.input if i.name not in names]
    assert len(inputs) == len(values), "%d inputs" % len(inputs)
    out = {}
    for info, value in zip(inputs, values):
        kind = info.type.tensor_type
        array = np.asarray(value, onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type))
        dims = [d.dim_value for d in kind.shape.dim]
        if kind.HasField("shape") and all(d.HasField("dim_value") for d in kind.shape.dim):
            array = array.reshape(dims)
        out[info.name] = array
    return out


def array(shape, values, kind=np.float32):
    """Expected values whose shape and type count, too."""
    return np.asarray(values, kind).reshape(shape)
