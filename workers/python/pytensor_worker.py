"""PyTensor, the line of Theano that is kept up, as a backend: graphs of its own operators, gradients by its own grad.

Options: mode=py (NumPy, the default: nothing is compiled), numba or c (a C++ compiler is needed); rewrite=fast_compile
(the default: ResNet-20 in ten seconds, all rewriting takes a minute), fast_run or none.
record=FOLDER, values=1 (record.py): each call is compiled and run by itself.
Installed: site/ with pytensor and what it needs.
"""

import os
import tempfile

from values import from_numpy, to_numpy


class Backend:
    library = "pytensor"

    def open(self, folder, options):
        # What PyTensor folds while it rewrites goes through the linker that is named here; Numba, its own choice, would
        # compile for a minute, and so would a C++ compiler build helpers.
        mode = options.get("mode", "py")
        folder = tempfile.mkdtemp(prefix="pytensor-")
        os.environ["PYTENSOR_FLAGS"] = f"floatX=float32,warn_float64=ignore,base_compiledir={folder}," + \
            {"c": "linker=c|py", "numba": "linker=numba,cxx="}.get(mode, "linker=py,cxx=")
        if options.get("record"):
            import pytensor_calls
            pytensor_calls.start(options["record"], options.get("values") == "1")
        import pytensor_library

        self.options, self.pytensor = options, pytensor_library
        return pytensor_library.pytensor.__version__

    def operators(self):
        return sorted(self.pytensor.TABLE)

    def load(self, model, options, outputs):
        chosen = {**self.options, **options}
        return self.pytensor.Session(model, outputs, chosen.get("mode", "py"), chosen.get("rewrite", "fast_compile"))

    def outputs(self, session):
        return session.outputs

    def run(self, session, inputs, names):
        results = session.run({name: to_numpy(value) for name, value in inputs.items()}, names)
        return [from_numpy(value) for value in results]

    def backward(self, session, inputs, seeds, wanted):
        arrays = {name: to_numpy(value) for name, value in inputs.items()}
        results = session.backward(arrays, {name: to_numpy(seed) for name, seed in seeds.items()}, wanted)
        return [from_numpy(value) for value in results]
