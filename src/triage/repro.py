#!/usr/bin/env python3
"""@TITLE@

Needs numpy and @PACKAGE@ alone; model and data lie beside this file.  Exit status: 1 when the bug shows, 0 when not,
2 when something else went wrong.
"""

import os
import subprocess
import sys

os.environ.update(@ENVIRONMENT@)

import numpy as np
@IMPORT@
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "@FOLDER@")
MODEL = os.path.join(HERE, "model.onnx")
INPUTS = @INPUTS@
OUTPUTS = @OUTPUTS@
WANTED = @WANTED@  # what gradients are computed of; none: the outputs are compared
VERDICT = "@VERDICT@"
SECONDS = 60  # a run that takes longer hangs


def arrays(name):
    path = os.path.join(HERE, name)
    if not os.path.exists(path):
        return {}
    with np.load(path, allow_pickle=False) as f:
        return {member: f[member] for member in f.files}


@RUN@

def far_off(name, got, want, slack):
    """Prints what differs by more than rounding can explain; True when something does."""
    got = np.asarray(got)
    if got.dtype.kind == "c" and want.dtype.kind == "f":  # complex numbers are written as pairs
        got = np.stack([got.real, got.imag], axis=-1)
    texts = got.dtype.kind in "USO" and want.dtype.kind in "USO"  # NumPy has several types for them
    if got.shape != want.shape or (got.dtype != want.dtype and not texts):
        print(f"{name}: {got.dtype}{list(got.shape)}, expected {want.dtype}{list(want.shape)}")
        return True
    if texts:
        bad = got.astype(str) != want.astype(str)
        distance = np.where(bad, np.inf, 0)
    else:
        a, b = (x.astype(np.complex128 if want.dtype.kind == "c" else np.float64) for x in (got, want))
        with np.errstate(all="ignore"):
            distance = np.abs(a - b)
            near = distance <= slack
            if want.dtype.kind in "iu":  # float64 does not tell 2^53 + 1 from 2^53
                near = near & (np.asarray(slack) > 0)
            bad = ~(near | (got == want) | (np.isnan(a) & np.isnan(b)))
    if not bad.any():
        print(f"{name}: all {got.size} elements are right up to rounding")
        return False
    rank = np.where(bad, np.nan_to_num(distance, nan=np.inf, posinf=np.inf), -1)
    at = np.unravel_index(int(np.argmax(rank)), rank.shape)
    allowed = np.broadcast_to(slack, got.shape)[at]
    print(f"{name}: {int(bad.sum())} of {got.size} elements are wrong, {list(map(int, at))} for one: "
          f"got {got[at]}, expected {want[at]}; rounding explains a difference of {allowed:.3g}")
    return True


def check():
    """True when the bug shows."""
    print(f"@PACKAGE@ {getattr(library, '__version__', None) or getattr(library, 'version', str)()}")
    inputs = arrays("inputs.npz")
    INPUTS[:] = [name for name in INPUTS if name in inputs]  # the others have a value in the model
    try:
        results = run(inputs)
    except Exception as e:  # whatever the library raises
        print(f"{type(e).__name__}: {e}")
        if VERDICT == "rejected":
            return True
        sys.exit(2)
    if VERDICT in ("rejected", "crash", "hang", "oom"):
        print("it ran to its end")
        return False
    if VERDICT == "accepted":
        print("the model is invalid, and was run all the same")
        return True
    want, slack = arrays("gradients.npz" if WANTED else "expected.npz"), arrays("tolerance.npz")
    what = "gradient of " if WANTED else ""
    return any([far_off(what + name, results[name], want[name], slack.get(name, 0.0)) for name in want])


def shows():
    if "--inside" in sys.argv or VERDICT not in ("crash", "hang", "oom"):
        return check()
    try:  # in a process that may die
        status = subprocess.run([sys.executable, __file__, "--inside"], timeout=SECONDS).returncode
    except subprocess.TimeoutExpired:
        print(f"no answer after {SECONDS} seconds")
        return True
    if status < 0:
        print(f"died by signal {-status}")
    if status == 2:
        sys.exit(2)
    return status != 0


def main():
    shown = shows()
    if "--inside" not in sys.argv:
        print("the bug shows" if shown else "the bug does not show")
    return int(shown)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception as e:  # not the bug: this script, its files or the installation
        print(f"{type(e).__name__}: {e}", file=sys.stderr)
        sys.exit(2)
