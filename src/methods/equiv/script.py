#!/usr/bin/env python3
"""@TITLE@

Two ways to compute the same, each in a process of its own.  Needs numpy and @PACKAGE@ alone.  Exit status: 1 when they
differ or a process dies, 0 when they agree, 2 when something else went wrong.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

nan, inf = float("nan"), float("inf")
SETS = {"a": "@SET_A@", "b": "@SET_B@"}
ENVIRONMENT = {"a": {@ENVIRONMENT_A@}, "b": {@ENVIRONMENT_B@}}
DEVICE = "@DEVICE@"  # "": the usual one
ATOL, RTOL = @ATOL@, @RTOL@
SECONDS = 60  # a side that takes longer hangs, once the library is loaded
BEGAN = ".began"  # behind the name of a side's file: the library is loaded


def array(kind, dims, values):
    return np.array(values if len(values) != 1 else values * int(np.prod(dims))).astype(kind).reshape(dims)


def library():
    """The library's part: op() calls one of its operations, run() both sides as SETS says."""
@LIBRARY@
    return locals()


def toward(i, t):
    """The direction that derivatives are along: its part for tensor i; 0 for what is no float."""
    pattern = np.resize([1, -0.5, 0.75, -1, 0.5], t.size + 3 * i)[3 * i:].reshape(t.shape)
    return pattern if t.dtype.kind == "f" else 0 * pattern


def head(number, shape):
    """What a result is multiplied with before it is summed; number 0: ones."""
    mixed = (np.arange(int(np.prod(shape)), dtype=np.uint64) + np.uint64(number)) * np.uint64(2654435761)
    drawn = (2.0 * (mixed % np.uint64(2**32) >> np.uint64(28)) - 15) / 16
    return drawn.reshape(shape) if number else np.ones(shape)


def derivative(l, f, tensors, heads=0):
    """Of Σ head · result, by the library's gradients."""
    _, gradients = l["slopes"](f, tensors, lambda shape: head(heads, shape))
    return float(sum(np.sum(toward(i, t) * g) for i, (t, g) in enumerate(zip(tensors, gradients)) if g is not None))


def difference(l, f, tensors, heads=0, h=1.2345e-4):
    """The same from differences."""
    def at(steps):
        moved = [np.asarray(t + steps * h * toward(i, t), t.dtype) for i, t in enumerate(tensors)]
        return l["slopes"](f, moved, lambda shape: head(heads, shape))[0]

    return float((8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h))


def side_a(l):
    op, tensor, dtype, out = l["op"], l["tensor"], l["dtype"], l["out"]
@SIDE_A@

def side_b(l):
    op, tensor, dtype, out = l["op"], l["tensor"], l["dtype"], l["out"]
@SIDE_B@

def inside(name, path):
    l = library()
    open(path + BEGAN, "w").close()
    results = {"a": side_a, "b": side_b}[name](l)
    results = [results] if isinstance(results, float) else l["arrays"](results)
    with open(path, "wb") as f:
        np.savez(f, *[np.asarray(r if isinstance(r, (int, float, np.ndarray, np.generic)) else str(r))
                      for r in results])


def differ(a, b):
    if len(a) != len(b) or any(x.shape != y.shape for x, y in zip(a, b)):
        return True
    with np.errstate(all="ignore"):
        return any(not np.allclose(x, y, rtol=RTOL, atol=ATOL, equal_nan=True) for x, y in zip(a, b)
                   if x.dtype.kind in "fiubc")


def main():
    results, died = {}, False
    with tempfile.TemporaryDirectory() as folder:
        for name, how in SETS.items():
            path = os.path.join(folder, name + ".npz")
            environment = {**os.environ, **ENVIRONMENT[name]}
            try:
                status = subprocess.run([sys.executable, __file__, name, path], env=environment,
                                        timeout=SECONDS).returncode
            except subprocess.TimeoutExpired:  # on a busy machine a package may take that long to load
                began = os.path.exists(path + BEGAN)
                print(f"side {name}: {'no answer' if began else 'not loaded'} after {SECONDS} seconds")
                died = died or began
                continue
            if status:
                print(f"side {name}: " + (f"died by signal {-status}" if status < 0 else f"exit status {status}"))
                died = died or status != 2
                continue
            with np.load(path, allow_pickle=False) as f:
                results[name] = [f[key] for key in f.files]
            print(f"side {name} ({how or 'as it comes'}):", *results[name], sep="\n")
    if died:
        return 1
    if len(results) < 2:
        return 2
    print("they differ" if differ(results["a"], results["b"]) else "they agree")
    return int(differ(results["a"], results["b"]))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(main())
    try:
        inside(sys.argv[1], sys.argv[2])
    except Exception as e:  # the library refuses, or is not what this was made with
        print(f"{type(e).__name__}: {e}", file=sys.stderr)
        sys.exit(2)
