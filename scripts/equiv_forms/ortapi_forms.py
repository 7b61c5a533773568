"""Forms of ONNX Runtime: the graphs of ort_graphs.py that it takes as they are, without its optimizers."""

import sys

import learned
import ort_graphs
import ortapi_worker


def forms():
    backend = ortapi_worker.Backend()
    backend.open("", {"level": "O0"})
    for name, text in ort_graphs.graphs():
        form = backend.form(text)
        try:
            backend.call(form, [array_of(v) for v in text.partition(" | ")[0].split()])
            yield name, text
        except Exception as e:
            print(f"{text}: {e}", file=sys.stderr)


def array_of(variable):
    """Numbers for t0:float32.positive[2,3]."""
    kind, _, sizes = variable.partition(":")[2].rstrip("]").partition("[")
    return learned.numbers(kind.partition(".")[0], [int(n) for n in sizes.split(",") if n])
