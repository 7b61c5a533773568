"""
title: A compiled model that was saved as .h5 and loaded cannot be trained; right is one more step.
library: keras
shows: 3.15.1
class: bug
condition: the older format .h5, load_model as it comes (compile=True).  The optimizer is built for the variables that
    the model holds itself, not for those of its layers, and refuses the latter ("Unknown variable" with PyTorch).  A
    file .keras is right, and so is a model that is compiled after it was loaded with compile=False.
rule: keras.saving.load_model: the model that was saved, and "whether to compile the model after loading": a compiled
    model can be trained.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
import os
import tempfile

from library import Refused, right, verdict, with_keras, wrong

HOW = {"optimizer": "sgd", "loss": "mean_squared_error", "run_eagerly": True}


def step(suffix, again=False, arrays="jax"):
    """The weight 1 of a product with 1 that should be 0: a step of the rate 0.01 along 2 w leaves 0.98."""
    def call(ops, np):
        import keras

        model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")])
        model.compile(**HOW)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model" + suffix)
            model.save(path)
            loaded = keras.saving.load_model(path, compile=not again)
        if again:
            loaded.compile(**HOW)
        loaded.train_on_batch(np.ones((1, 1), "float32"), np.zeros((1, 1), "float32"))
        return loaded.weights[0]
    return with_keras(arrays, call)


for arrays in "jax", "torch":
    wrong("a file .h5 with " + arrays, step(".h5", arrays=arrays), [0.98], seen=Refused("built with"))
right("a file .keras", step(".keras"), [0.98])
right("a file .h5, compiled again", step(".h5", again=True), [0.98])
verdict()
