"""The cases of scripts/make-malformed: modules add theirs with case() and onnx()."""

CASES = []  # (file name, bytes, word)


def case(name, content, word):
    assert word and name not in [c[0] for c in CASES], name
    CASES.append((name, content, word))


def onnx(name, content, word):
    case(name + ".onnx", content, word)
