"""
title: keras.layers.Equalization does nothing as the first layer of a model: 0, 100, 200, 200 stay, for 0, 85, 255, 255;
    behind another layer the model cannot be made.
library: keras
shows: 3.15.1
class: bug
condition: A functional model or a Sequential with keras.layers.Equalization.  The symbolic call gives the very tensor
    that it got: a first layer is left out, and behind another one the tensor "is part of a cycle".  A plain call is
    right, and so is keras.layers.AutoContrast in the same places.
rule: keras.layers.Equalization: "At inference time, the equalization is consistently applied"; a model applies its
    layers.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
from library import Refused, array, right, verdict, with_keras, wrong

# Of four pixels one is 0, two are at most 100: (2 - 1) / (4 - 1) of 255 is 85.
IMAGE, RIGHT, STRETCHED = [0, 100, 200, 200], [0, 85, 255, 255], [0, 127.5, 255, 255]


def image_of(*kinds, functional=True):
    """Layers one after the other; Rescaling(1) changes nothing."""
    def call(ops, np):
        import keras

        made = {"Rescaling": lambda: keras.layers.Rescaling(1.0)}
        layers = [made.get(kind, getattr(keras.layers, kind))() for kind in kinds]
        image = np.array(IMAGE, "float32").reshape(1, 2, 2, 1)
        if not functional:
            return keras.Sequential(layers)(image) if len(layers) > 1 else layers[0](image)
        last = given = keras.Input((2, 2, 1))
        for layer in layers:
            last = layer(last)
        return keras.Model(given, last)(image)
    return with_keras("numpy", call)


wrong("functional, first", image_of("Equalization", "Rescaling"), RIGHT, seen=IMAGE)
wrong("Sequential, first", image_of("Equalization", "Rescaling", functional=False), RIGHT, seen=IMAGE)
wrong("functional, last", image_of("Rescaling", "Equalization"), RIGHT, seen=Refused("is part of a cycle"))
right("a plain call", image_of("Equalization", functional=False), RIGHT)
right("AutoContrast, first", image_of("AutoContrast", "Rescaling"), STRETCHED)
right("AutoContrast, last", image_of("Rescaling", "AutoContrast"), STRETCHED)
verdict()
