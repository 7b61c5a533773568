"""Anybody's rewriter, rewrite:exec=CMD: a program that is run for each model, with two paths behind its words, that of
the model and that of the one it is to write.  Its exit status is 0, or what it printed is why it refuses; where it
dies by a signal, so does this process.
"""

import os
import shlex
import signal
import subprocess
import tempfile

from worker_types import Rejected


def start():
    command = shlex.split(os.environ["ASSAY_REWRITE_COMMAND"])

    def rewrite(model):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("in.onnx", "out.onnx")]
            with open(paths[0], "wb") as f:
                f.write(model)
            ran = subprocess.run(command + paths, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if ran.returncode < 0:
                signal.signal(-ran.returncode, signal.SIG_DFL)
                os.kill(os.getpid(), -ran.returncode)
            if ran.returncode or not os.path.exists(paths[1]):
                said = " ".join(ran.stdout.decode("utf-8", "replace").split())
                raise Rejected(said[-500:] or f"exit status {ran.returncode}, and nothing written")
            with open(paths[1], "rb") as f:
                return f.read()

    return "", lambda options: rewrite
