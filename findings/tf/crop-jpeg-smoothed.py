"""
title: tf.image.decode_and_crop_jpeg of a red and blue image gives 254, 0, 2 at the window's edge; decoding and cropping
    gives 201, 12, 76.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: The JPEG has fewer pixels of colour than of brightness (encode_jpeg's default), fancy_upscaling=True (the
    default), and the window ends inside the image: its last column is smoothed as if the image ended there.  The other
    columns are right, and all are with fancy_upscaling=False, or with chroma_downsampling=False in the file.
rule: tf.image.decode_and_crop_jpeg: "It is equivalent to a combination of decode and crop, but much faster by only
    decoding partial jpeg image."
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
import numpy as np

from library import called, right, verdict, wrong

HALVES = np.zeros((16, 16, 3), np.uint8)
HALVES[:, :8], HALVES[:, 8:] = [255, 0, 0], [0, 0, 255]


def cropped(width=8, downsampling=True, **how):
    """What the cropping decoder gives of the left part, and whole decoding: the last column of the first row."""
    def last(tf, image):
        file = tf.image.encode_jpeg(image, chroma_downsampling=downsampling)
        both = (tf.image.decode_and_crop_jpeg(file, [0, 0, 16, width], **how),
                tf.image.crop_to_bounding_box(tf.image.decode_jpeg(file, **how), 0, 0, 16, width))
        return tf.stack([part[0, -1] for part in both])
    return called(last, HALVES)


wrong("window of 8 columns", cropped(), [[201, 12, 76]] * 2, seen=[[254, 0, 2], [201, 12, 76]])
right("the whole image", cropped(16), [[1, 0, 251]] * 2)
right("fancy_upscaling=False", cropped(fancy_upscaling=False), [[254, 0, 2]] * 2)
right("chroma_downsampling=False", cropped(downsampling=False), [[254, 0, 0]] * 2)
verdict()
