"""Which file of Keras an ONNX model was made of: said in the producer's name, and held against the graph.

    assay-keras GRAPH FILE PATH      both digests in hexadecimal

The first digest is of the graph: names, operators, attributes and constants, in any order.  Outputs do not count, so
that a model may be asked for further tensors; anything else that is changed makes it another model.
"""

import hashlib

import numpy as np

import onnx_reader
from keras_file import file_digest

MARK = "assay-keras"


def name(path, file, graph):
    return f"{MARK} {graph} {file} {path}"


def _said(value):
    return value.tobytes() + repr(value.shape).encode() if isinstance(value, np.ndarray) else repr(value).encode()


def _digest_of(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"%d:" % len(part) + part)
    return digest.digest()


def graph_digest(data, model=None):
    model = model or onnx_reader.read_model(data)
    found = [_digest_of(repr((n.op, n.domain, n.inputs, n.outputs)).encode(),
                        *(k.encode() + _said(v) for k, v in sorted(n.attributes.items()))) for n in model.graph.nodes]
    found += [_digest_of(k.encode(), _said(v)) for k, v in model.graph.constants.items()]
    return hashlib.sha256(b"".join(sorted(found))).hexdigest()


def find(data):
    """The path of the file that a model was made of; None: of none, or it was changed since."""
    model = onnx_reader.read_model(data)
    words = model.producer.split(" ", 3)
    if len(words) != 4 or words[0] != MARK or words[1] != graph_digest(data, model):
        return None
    try:
        return words[3] if file_digest(words[3]) == words[2] else None
    except OSError:
        return None
