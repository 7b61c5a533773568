"""
title: A model with keras.layers.Attention that was saved as .h5 cannot be loaded; right is the same model.
library: keras
shows: 3.15.1
since: 3.15.1 (3.12.0 is right)
class: bug
condition: score_mode="dot", which is the default, in the older format .h5.  The file's word "dot" becomes the function
    keras.layers.dot when it is read, and the layer refuses that.  A file .keras is right, and so is
    score_mode="concat".
rule: keras.saving.load_model: the model that was saved.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/keras-team/keras/pull/22180 (the change it came with; no issue found)
"""
import os
import tempfile

from library import Refused, right, verdict, with_keras, wrong


def loaded(suffix, mode):
    """Attention of equal keys is the mean of the values, however it scores."""
    def call(ops, np):
        import keras

        query, value = keras.Input((1, 2)), keras.Input((2, 2))
        model = keras.Model([query, value], keras.layers.Attention(score_mode=mode)([query, value]))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model" + suffix)
            model.save(path)
            again = keras.saving.load_model(path, compile=False)
        return again([np.ones((1, 1, 2), "float32"), np.full((1, 2, 2), 3, "float32")])
    return with_keras("numpy", call)


wrong("dot in a file .h5", loaded(".h5", "dot"), [3, 3], seen=Refused("Invalid value for argument score_mode"))
right("dot in a file .keras", loaded(".keras", "dot"), [3, 3])
right("concat in a file .h5", loaded(".h5", "concat"), [3, 3])
verdict()
