"""ncnn's Python package, and what claims about it share."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, right, verdict, wrong  # noqa: E402,F401

import ncnn  # noqa: E402
import numpy as np  # noqa: E402


def layer(text, *values):
    """A call that gives what one layer makes of vectors: text is its type and its parameters, as in a .param file."""
    kind, _, parameters = text.partition(" ")
    names = ["x%d" % i for i in range(len(values))]
    lines = ["7767517", "%d %d" % (len(values) + 1, len(values) + 1)]
    lines += ["Input %s 0 1 %s" % (name, name) for name in names]
    lines.append("%s layer %d 1 %s y %s" % (kind, len(values), " ".join(names), parameters))

    def call():
        net = ncnn.Net()
        net.opt.num_threads = 1
        for option in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage",
                       "use_vulkan_compute"):
            setattr(net.opt, option, False)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "net")
            with open(path + ".param", "w") as f:
                f.write("\n".join(lines) + "\n")
            open(path + ".bin", "w").close()
            if net.load_param(path + ".param") or net.load_model(path + ".bin"):
                raise ValueError("the net cannot be loaded")
            extractor = net.create_extractor()
            arrays = [np.array(v, np.float32) for v in values]  # a Mat does not keep its array
            for name, a in zip(names, arrays):
                extractor.input(name, ncnn.Mat(a).clone())
            status, y = extractor.extract("y")
        if status:
            raise ValueError("status %d" % status)
        return np.array(y)
    return call
