"""Imports modules once, then runs claims, each in a child of this process: bench/versions --preload.

    python preload.py MODULE… [-MODULE…]

A module with a minus in front is kept from being imported by the others: TensorFlow imports Keras, which then has its
array library for good.

A line on standard input is the path of a claim, the file for what it prints, and how many seconds it has
(patience.py), separated by tabs; the answer is its exit status, or a negative number for the signal that ended it.
Most claims' calls run in children of a process that has imported the library (common.py), so that one child more
changes nothing; but where the import takes longer than all claims together, most of that time is saved.  What a claim
sets in the environment before the import has no effect then: claims that this matters to refuse, and run by
themselves (TensorFlow's kernels, Keras's array library, JAX's types).
"""

import importlib
import os
import runpy
import sys
import time

from patience import Limit, end


def become(path, output):
    """The child: as if Python had been started with the claim."""
    out = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.setsid()
    sys.argv[:] = [path]
    sys.path.insert(0, os.path.dirname(path))
    try:
        runpy.run_path(path, run_name="__main__")
    except BaseException as e:
        sys.excepthook(type(e), e, e.__traceback__)
    os._exit(2)


def ended(pid, seconds):
    """The status of a child; one that takes too long is ended, with all that it started."""
    limit, pause, asked = Limit(pid, seconds), 0.01, time.monotonic()
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        if time.monotonic() - asked >= limit.pause:
            asked = time.monotonic()
            if limit.over():
                end(pid)
                return os.waitpid(pid, 0)[1]
        time.sleep(pause)
        pause = min(2 * pause, limit.pause, 0.1)


def main():
    del sys.path[0]  # this folder, whose torch/ is not PyTorch
    kept_out = [name[1:] for name in sys.argv[1:] if name.startswith("-")]
    sys.modules.update({name: None for name in kept_out})
    for name in sys.argv[1:]:
        if not name.startswith("-"):
            importlib.import_module(name)
    for name in kept_out:
        del sys.modules[name]
    print("ready", flush=True)
    for line in sys.stdin:
        path, output, seconds = line.rstrip("\n").split("\t")
        pid = os.fork()
        if pid == 0:
            become(path, output)
        status = ended(pid, int(seconds))
        print(-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), flush=True)


main()
