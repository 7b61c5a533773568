"""JAX as a backend: operators through jax.numpy and jax.lax, gradients through jax.vjp.

Options: mode=jit|eager (default: jit), device=cpu|cuda, tf32=1 (products in TF32 where the device has it);
record=FOLDER, values=1 (record.py): it is eager then.
Installed: site/ with jax, jaxlib and what they need.
"""

import os

from worker_types import Unsupported
from values import from_numpy, to_numpy


class Backend:
    library = "jax"

    def open(self, folder, options):
        if options.get("device", "cpu") == "cuda" and not os.path.exists("/dev/nvidia0"):
            raise Unsupported("no GPU: there is no /dev/nvidia0")
        if options.get("record"):
            import jax_calls
            jax_calls.start(options["record"], options.get("values") == "1")
        import jax_library

        if options.get("device") == "cuda":
            jax_library.jax.devices()  # a copy of this process could not start the GPU
        if options.get("tf32") == "1":
            jax_library.jax.config.update("jax_default_matmul_precision", "tensorfloat32")
        self.mode, self.jax = "eager" if options.get("record") else options.get("mode", "jit"), jax_library
        return jax_library.jax.__version__

    def operators(self):
        return sorted(self.jax.TABLE)

    def load(self, model, options, outputs):
        return self.jax.JaxSession(model, outputs, self.mode if self.mode == "eager" else options.get("mode", "jit"))

    def outputs(self, session):
        return session.outputs

    def run(self, session, inputs, names):
        results = session.run({name: to_numpy(value) for name, value in inputs.items()}, names)
        return [from_numpy(value) for value in results]

    def backward(self, session, inputs, seeds, wanted):
        arrays = {name: to_numpy(value) for name, value in inputs.items()}
        gradients, _ = session.backward(arrays, {name: to_numpy(seed) for name, seed in seeds.items()}, wanted)
        return [from_numpy(gradients[name]) for name in wanted]
