"""Apache TVM as a backend: its importer of ONNX, its compiler with LLVM, and the virtual machine that runs the result.

The importer wants most shapes, axes and the like as constants (folding.py).  Where it does not, they stay inputs.

Options: passes=1, the pipeline for a processor, which fuses operators, and before it the optimizations of the package
that its users may put there, one after the other; disable=A,B, all of these but A and B; save=FILE, where the names of
the passes that changed a model go, one a line.

Installed: site/ with tvm, tvm_ffi, onnx, numpy and ml_dtypes.
"""

import re
import warnings

import numpy as np

import folding
from values import from_numpy, to_numpy
from worker_types import Rejected, Sequence, Unsupported

# What its messages have when it says that it lacks something, or wants a constant where it can do no other.
LACKS = re.compile(r"not (?:yet )?(?:supported|implemented|handle)|unsupported|NotImplemented|"
                   r"(?:does not|doesn't|cannot|only) (?:\w+ )?(?:support|handle)|requires a statically known|"
                   r"must be (?:a )?constant|only constant|to be (?:a )?constant|no value in Constant|"
                   r"unknown dtype `object`|Missing outputs during conversion|"
                   r"dtype\.bits % 8 == 0|TensorCopyFromBytes: size mismatch", re.IGNORECASE)  # types of four bits


# Passes that work on operators and need nothing to be known of a device, in an order in which each finds what it looks
# for.  FastMathTransform is none of them: it promises less than the operators do.
PASSES = ("CanonicalizeBindings", "DecomposeOpsForInference", "FoldBatchnormToConv2D",
          "CombineParallelMatmul", "ExpandMatmulOfSum", "AdjustMatmulOrder", "ReorderPermuteDimsAfterConcat",
          "ReorderTakeAfterMatmul", "RemoveRedundantReshape", "EliminateCommonSubexpr", "ConvertLayout",
          "FuseTransposeMatmul", "DeadCodeElimination")
LAYOUTS = {"relax.nn.conv2d": ["NHWC", "OHWI"]}


def teller(tvm, path):
    """Writes the names of passes that changed a module."""
    try:
        from tvm_ffi import structural_hash  # pylint: disable=import-outside-toplevel
    except ImportError:
        structural_hash = tvm.ir.structural_hash

    @tvm.instrument.pass_instrument
    class Teller:
        def __init__(self):
            self.before = []

        def run_before_pass(self, module, info):
            self.before.append(structural_hash(module))

        def run_after_pass(self, module, info):
            if structural_hash(module) != self.before.pop():
                with open(path, "a") as f:
                    print(info.name, file=f)

    return Teller()


def told(error):
    """An exception of the library as one of ours.  Behind the first line come traces and programs."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = f"{type(error).__name__}: {lines[-1] if lines else ''}"
    lacks = isinstance(error, NotImplementedError) or LACKS.search(str(error)[:4000])
    return Unsupported(text) if lacks else Rejected(text)


class Backend:
    library = "tvm"

    def open(self, folder, options):
        warnings.simplefilter("ignore")  # each model that leaves a shape open would have a line
        import tvm
        from tvm import relax
        from tvm.relax.frontend.onnx import from_onnx

        self.tvm, self.relax, self.from_onnx = tvm, relax, from_onnx
        left_out = options.get("disable", "").split(",")
        self.passes = [p for p in PASSES if options.get("passes") == "1" and p not in left_out]
        self.tells = [teller(tvm, options["save"])] if options.get("save") else []
        return tvm.__version__

    def pipeline(self, target):
        """What tvm.compile() has by default does not fuse operators; the pipeline for a processor does."""
        return self.relax.get_default_pipeline(target) if self.passes else "default"

    def _imported(self, model):
        """Passes that move work to before a run look for weights that are parameters; in the end those are constants.
        An initializer that is an input, too, would be defined twice."""
        inputs = {info.name for info in model.graph.input}
        if not self.passes or any(weights.name in inputs for weights in model.graph.initializer):
            return self._optimized(self.from_onnx(model, keep_params_in_input=False))
        module, weights = self.relax.frontend.detach_params(self.from_onnx(model, keep_params_in_input=True))
        module, weights = self._optimized(module), weights.get("main", [])
        names = module["main"].params[len(module["main"].params) - len(weights):]
        return self.relax.transform.BindParams("main", dict(zip(names, weights)))(module)

    def _optimized(self, module):
        for name in self.passes:
            made = getattr(self.relax.transform, name, None)  # not all versions have all
            if made:
                module = (made(LAYOUTS) if name == "ConvertLayout" else made())(module)
        return module

    def load(self, model, options, outputs):
        session = folding.Session(model, outputs)
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
        target = self.tvm.target.Target("llvm")
        try:
            with self.tvm.transform.PassContext(opt_level=3, instruments=self.tells):
                module = self._imported(folding.folded(session.message, constants))
                program = self.tvm.compile(module, target=target, relax_pipeline=self.pipeline(target))
            session.call = self.relax.VirtualMachine(program, self.tvm.cpu())["main"]
        except Exception as e:  # pylint: disable=broad-except  # an importer in Python raises whatever goes wrong
            raise told(e) from None

    def _run_once(self, session, arrays):
        try:
            return session.call(*(self._given(arrays[name]) for name in session.order))
        except Exception as e:  # pylint: disable=broad-except
            raise told(e) from None

    def _given(self, value):
        if isinstance(value, list):
            raise Unsupported("a sequence as an input")
        if not isinstance(value, np.ndarray) or value.dtype.kind == "O":
            raise Unsupported("an input that is not a tensor of numbers")
        return self.tvm.runtime.tensor(np.array(value, order="C"))  # ascontiguousarray() would give scalars an axis

    def run(self, session, inputs, names):
        arrays = {name: to_numpy(inputs[name]) for name in session.model.inputs if name in inputs}
        if len(arrays) < len(session.model.inputs):
            raise Rejected("an input is not given")
        results = self._results(session, arrays)
        return [self._output(results[session.outputs.index(name)]) for name in names]

    def _results(self, session, arrays):
        """As it was compiled; else, and whenever a constant is another one, compiled with sizes as constants."""
        same = all(np.array_equal(arrays[name], value) for name, value in session.constants.items())
        error = session.error
        if session.call and same:
            try:
                return self._listed(self._run_once(session, arrays), session)
            except (Unsupported, Rejected) as e:
                error = e
        sizes = [] if session.constants and same else folding.sizes_among(
            session.message, {name: a for name, a in arrays.items() if isinstance(a, np.ndarray)})
        if not sizes:
            raise error
        self._compile(session, {name: arrays[name] for name in sizes})
        return self._listed(self._run_once(session, arrays), session)

    @staticmethod
    def _listed(result, session):
        if len(session.outputs) == 1:
            return [result]
        if len(result) != len(session.outputs):
            raise Rejected(f"it gave {len(result)} outputs instead of {len(session.outputs)}")
        return list(result)

    def _output(self, value):
        if hasattr(value, "numpy"):
            return from_numpy(value.numpy())
        if isinstance(value, (int, float, bool)):
            return from_numpy(np.asarray(value))
        try:
            items = list(value)
        except TypeError:
            raise Unsupported(f"an output of type {type(value).__name__}") from None
        if all(isinstance(item, int) for item in items):  # a shape is a value of its own kind there
            return from_numpy(np.array(items, np.int64))
        return Sequence([self._output(item) for item in items])
