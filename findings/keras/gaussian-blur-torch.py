"""
title: keras.ops.image.gaussian_blur with PyTorch and JAX blurs over the wrong axes when data_format is not given.
library: keras
shows: 3.15.1
class: bug
condition: With PyTorch or JAX, data_format is left out and images have channels last, which is the default: width is
    blurred, height is not.  With data_format="channels_last", and with NumPy, it is right.
rule: keras.ops.image.gaussian_blur: data_format defaults to image_data_format of the configuration; images are blurred
    along height and width.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/keras-team/keras/pull/23542 (merged; no release has it yet)
"""
from library import array, right, verdict, with_keras, wrong


def blurred(**more):
    def call(ops, np):
        image = np.zeros([1, 3, 3, 1], "float32")
        image[0, 1, 1, 0] = 1
        return ops.image.gaussian_blur(image, **more)
    return call


# weights of -1, 0, 1 with a deviation of 1: exp(-1/2), 1, exp(-1/2), over their sum
A, B = 0.27406862, 0.45186276
RIGHT = array([1, 3, 3, 1], [A * A, A * B, A * A, A * B, B * B, A * B, A * A, A * B, A * A])
SEEN = array([1, 3, 3, 1], [0, 0, 0, A * B, B * B, A * B, 0, 0, 0])
for arrays in "torch", "jax":
    wrong(f"with {arrays}", with_keras(arrays, blurred()), RIGHT, seen=SEEN, rel=1e-4, abs=1e-6)
    right(f"the format is given, with {arrays}", with_keras(arrays, blurred(data_format="channels_last")), RIGHT,
          rel=1e-4)
right("with numpy", with_keras("numpy", blurred()), RIGHT, rel=1e-4)
verdict()
