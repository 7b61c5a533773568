"""The Python packages iree-base-compiler and iree-base-runtime, and what claims about them share."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

import numpy as np  # noqa: E402
import onnx  # noqa: E402
from iree import runtime  # noqa: E402
from iree.compiler import compile_str, ir  # noqa: E402
from iree.compiler.extras import onnx_importer  # noqa: E402

SECONDS = 300  # compiling takes one on a processor of its own


def imported(m):
    """The model as a program of the torch dialect, in text."""
    m = onnx.shape_inference.infer_shapes(m)
    m.graph.name = "main"
    info = onnx_importer.ModelInfo(m)
    module = info.create_module(context=ir.Context()).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    return module.get_asm()


def run(m, values):
    """All outputs of the model on this processor.  Whole numbers have no sign there: they go by their bits."""
    program = compile_str(imported(m), input_type="onnx", target_backends=["llvm-cpu"],
                          extra_args=["--iree-llvmcpu-target-cpu=host"])
    config = runtime.Config("local-sync")
    context = runtime.SystemContext(config=config)
    context.add_vm_module(runtime.VmModule.copy_buffer(config.vm_instance, program))
    given = [v.view("int%d" % (8 * v.itemsize)) if v.dtype.kind == "u" else v for v in feeds(m, values).values()]
    got = context.modules.module["main"](*given)
    return [np.asarray(v) for v in (got if isinstance(got, (list, tuple)) else [got])]


def call(text, *values, **options):
    """A call that runs the graph in ONNX's text."""
    m = model(text, **options)
    return lambda: run(m, values)
