"""
title: A model compiled with loss="mse" that was saved as .h5 cannot be loaded; right is the same model.
library: keras
shows: 3.15.1
class: bug
condition: the short names "mse" and "mae" of losses, the older format .h5, load_model as it comes (compile=True).  The
    file's word becomes the metric of that name.  "mean_squared_error" is right, and so is a file .keras.
rule: keras.saving.load_model: the model that was saved; Model.compile takes loss="mse".
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/keras-team/keras/issues/19330 (closed as stale; the loss of an .hdf5 file, the same place)
"""
import os
import tempfile

from library import Refused, right, verdict, with_keras, wrong


def loaded(suffix, loss):
    """A sum of two numbers, as the file has it."""
    def call(ops, np):
        import keras

        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile(loss=loss)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model" + suffix)
            model.save(path)
            return keras.saving.load_model(path)(np.array([[2.0, 3.0]], "float32"))
    return with_keras("numpy", call)


for loss in "mse", "mae":
    wrong(loss, loaded(".h5", loss), [5], seen=Refused(f"Could not deserialize 'keras.metrics.{loss}'"))
right("mse in a file .keras", loaded(".keras", "mse"), [5])
right("mean_squared_error", loaded(".h5", "mean_squared_error"), [5])
verdict()
