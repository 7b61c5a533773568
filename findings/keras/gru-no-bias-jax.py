"""
title: keras.layers.GRU(3, use_bias=False) fails with JAX where jax_enable_x64 is set; 0 of weights of 0 is right.
library: keras
shows: 3.15.1
class: bug
condition: With JAX and its 64-bit types switched on, in a layer of float32 that is not unrolled: the loop's state
    becomes float64.  With a bias, unrolled, or without jax_enable_x64 it is right.
rule: keras.layers.GRU, use_bias: "whether the layer should use a bias vector"; without one the layer is as with a bias
    of 0.
documented: docs/backends.md, Keras's layers
tracker: none found
"""
from library import Refused, array, right, verdict, with_keras, wrong


def call(wide, **options):
    def run(ops, np):
        import jax
        import keras

        jax.config.update("jax_enable_x64", wide)
        zeros = {"kernel_initializer": "zeros", "recurrent_initializer": "zeros"}
        layer = keras.layers.GRU(3, dtype="float32", **zeros, **options)
        return layer(np.ones((2, 4, 5), "float32"))
    return with_keras("jax", run)


ZERO = array([2, 3], [0] * 6)
wrong("without a bias", call(True, use_bias=False), ZERO, seen=Refused("carry input and carry output"))
right("with a bias", call(True, use_bias=True), ZERO)
right("unrolled", call(True, use_bias=False, unroll=True), ZERO)
right("without 64-bit types", call(False, use_bias=False), ZERO)
verdict()
