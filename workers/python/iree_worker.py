"""IREE as a backend: its importer of ONNX, its compiler for this processor, and its runtime, all in this process.

What the compiler cannot do it prints.  It knows whole numbers without a sign only: they go in and come out by their
bits.  Shapes, axes and the like become constants where it wants them so (folding.py).
Options: opt=O0|O1|O2|O3, the compiler's own levels.  Installed: site/ with iree, onnx, numpy and ml_dtypes.
"""

import re

import numpy as np

import folding
import onnx_types
from printed import printed
from values import from_numpy, to_numpy
from worker_types import Rejected, Unsupported

FLAGS = ("--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
         "--iree-llvmcpu-target-cpu=host", "--iree-input-type=onnx",
         "--iree-input-demote-f64-to-f32=false")  # by default it computes in float32, and reads doubles as such
FUNCTION = "main"  # what the graph is called for the importer
ERROR = re.compile(r"error: (.*)")
# What it says when it has no rule for an operator, or for that form of it.
LACKS = re.compile(r"failed to legalize|unsupported|not supported|not (?:yet )?implemented|unimplemented|unhandled|"
                   r"expected to be constant|constant-foldable", re.IGNORECASE)


def refusal(said, what):
    """What was printed, as an exception: the first error, without the place in the program."""
    found = ERROR.search(said)
    text = f"{what}: {found.group(1) if found else ' '.join(said.split())[:300]}"
    return Unsupported(text) if LACKS.search(said) else Rejected(text)


class Session(folding.Session):
    def __init__(self, data, outputs):
        super().__init__(data, outputs)
        self.message.graph.name = FUNCTION
        self.types = {}


class Backend:
    library = "iree"

    def open(self, folder, options):
        import onnx
        import iree.compiler.version
        import iree.runtime
        from iree.compiler import api, ir
        from iree.compiler.extras import onnx_importer

        self.onnx, self.api, self.ir, self.importer, self.runtime = onnx, api, ir, onnx_importer, iree.runtime
        self.flags = FLAGS + ((f"--iree-opt-level={options['opt']}",) if options.get("opt") else ())
        self.config = None  # it has threads, and a process with such cannot be copied
        return re.sub(r"rc\d+$", "", iree.compiler.version.VERSION)

    def load(self, model, options, outputs):
        session = Session(model, outputs)
        try:
            self._compile(session, {})
        except (Unsupported, Rejected) as e:
            session.error = e  # with some inputs as constants it may do better
            if not session.may_fold():
                raise
        return session

    def outputs(self, session):
        return session.outputs

    def _compile(self, session, constants):
        session.call, session.constants = None, constants
        session.order = [name for name in session.model.inputs if name not in constants]
        program, said = printed(self._program, self._imported(session, constants))
        if program is None:
            raise refusal(said, "the compiler says")
        if self.config is None:
            self.config = self.runtime.Config("local-sync")
        try:
            module = self.runtime.VmModule.copy_buffer(self.config.vm_instance, program)
            context = self.runtime.SystemContext(config=self.config)
            context.add_vm_module(module)
            session.call = context.modules[module.name][FUNCTION]
        except Exception as e:  # pylint: disable=broad-except  # the runtime raises RuntimeError, ValueError and others
            raise refusal(str(e), "the runtime says") from None

    def _imported(self, session, constants):
        """The model as a program of the torch dialect."""
        message = folding.folded(session.message, constants)
        try:
            message = self.onnx.shape_inference.infer_shapes(message)
            session.types = {info.name: info.type.tensor_type.elem_type for info in message.graph.output}
            info = self.importer.ModelInfo(message)
            module = info.create_module(context=self.ir.Context()).operation
            self.importer.NodeImporter.define_function(info.main_graph, module).import_all()
            module.verify()
            return module.get_asm(assume_verified=True)
        except self.importer.OnnxImportError as e:
            raise Unsupported(f"the importer says: {e}") from None
        except Exception as e:  # pylint: disable=broad-except
            raise refusal(f"{type(e).__name__}: {e}", "the importer says") from None

    def _program(self, text):
        """The compiled program; None when it printed why there is none."""
        session = self.api.Session()
        session.set_flags(*self.flags)
        invocation = session.invocation()
        invocation.enable_console_diagnostics()
        source = self.api.Source.wrap_buffer(session, text.encode() + b"\0")
        output = self.api.Output.open_membuffer()
        try:
            if not invocation.parse_source(source) or not invocation.execute():
                return None
            invocation.output_vm_bytecode(output)
            return bytes(output.map_memory())
        finally:
            for part in (output, source, invocation, session):
                part.close()

    def run(self, session, inputs, names):
        arrays = {name: to_numpy(inputs[name]) for name in session.model.inputs if name in inputs}
        if len(arrays) < len(session.model.inputs):
            raise Rejected("an input is not given")
        if not all(isinstance(array, np.ndarray) and array.dtype.kind != "O" for array in arrays.values()):
            raise Unsupported("an input that is not a tensor of numbers")
        results = self._results(session, arrays)
        return [self._output(results[session.outputs.index(name)], session.types.get(name, 0)) for name in names]

    def _results(self, session, arrays):
        """As it was compiled; else, and whenever a constant is another one, compiled with sizes as constants."""
        same = all(np.array_equal(arrays[name], value) for name, value in session.constants.items())
        if not session.call or not same:
            sizes = folding.sizes_among(session.message, arrays)
            if not sizes:
                raise session.error
            self._compile(session, {name: arrays[name] for name in sizes})
        try:
            results = session.call(*(self._given(arrays[name]) for name in session.order))
        except Exception as e:  # pylint: disable=broad-except
            raise refusal(str(e), "the runtime says") from None
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        if len(results) != len(session.outputs):
            raise Rejected(f"it gave {len(results)} outputs instead of {len(session.outputs)}")
        return results

    @staticmethod
    def _given(array):
        signed = f"int{8 * array.dtype.itemsize}"
        return np.array(array.view(signed) if array.dtype.kind == "u" else array, order="C")

    @staticmethod
    def _output(value, code):
        array = np.asarray(value)
        to = onnx_types.numpy_type(code) if code in onnx_types.NAMES else array.dtype
        if array.dtype != to and array.dtype.kind in "iub" and to.kind in "iub" and array.itemsize == to.itemsize:
            array = array.astype(to) if to.kind == "b" else array.view(to)
        return from_numpy(array)
