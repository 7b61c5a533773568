"""Calls of TensorFlow's documented functions that trying does not find: of images of three channels, boxes, files of
pixels, windows, sparse tensors of two sides.  tfapi_forms.py keeps those that the package takes.

Not here are functions of a seed: documented (tf.random.stateless_uniform, alg) is that its numbers may be others on
another device, as under XLA.  Rows of data/equiv/images.tsv say of them what does not hang on the numbers."""

import written

IMAGE, GREY, BYTES = "6,6,3", "6,6,1", "5,4,3:uint8.below256"
BOXES = "6,4:float32.positive 6:float32.positive"

# Sizes of t0, t1 …; behind a colon the element type with what numbers it has, where it is not float32.
CALLS = (
    # tf.image: colours
    (IMAGE, "tf.image.adjust_hue(t0, 0.25)"),
    ("2,5,4,3", "tf.image.adjust_hue(t0, -0.5)"),
    (BYTES, "tf.image.adjust_hue(t0, 0.1)"),
    (IMAGE, "tf.image.adjust_saturation(t0, 0.5)"),
    (BYTES, "tf.image.adjust_saturation(t0, 2.0)"),
    (BYTES, "tf.image.adjust_brightness(t0, 0.25)"),
    (BYTES, "tf.image.adjust_contrast(t0, 1.5)"),
    (BYTES, "tf.image.adjust_jpeg_quality(t0, 50)"),
    (GREY, "tf.image.grayscale_to_rgb(t0)"),
    (BYTES, "tf.image.rgb_to_grayscale(t0)"),
    (BYTES, "tf.image.convert_image_dtype(t0, tf.float32)"),
    (IMAGE, "tf.image.rgb_to_hsv(t0)"),
    # places and sizes
    (IMAGE, "tf.image.crop_to_bounding_box(t0, 1, 2, 3, 4)"),
    (IMAGE, "tf.image.pad_to_bounding_box(t0, 1, 2, 9, 10)"),
    ("2,6,5,2", "tf.image.extract_patches(t0, [1, 2, 3, 1], [1, 2, 1, 1], [1, 1, 1, 1], 'SAME')"),
    ("2,6,5,2", "tf.image.extract_patches(t0, [1, 2, 2, 1], [1, 1, 2, 1], [1, 2, 1, 1], 'VALID')"),
    ("2,6,5,2", "tf.image.extract_glimpse(t0, [3, 2], [[0.5, -0.5], [0.0, 0.0]], noise='zero')"),
    ("2,6,5,2", "tf.image.crop_and_resize(t0, [[0.1, 0.0, 0.9, 1.0], [0.5, 0.2, 1.5, 0.4]], [0, 1], "
                              "[3, 4])"),
    ("2,6,5,2", "tf.image.crop_and_resize(t0, [[0.1, 0.0, 0.9, 1.0]], [1], [4, 3], method='nearest', "
                              "extrapolation_value=2.0)"),
    ("2,6,5,2", "tf.image.resize(t0, [4, 7], method='bicubic', antialias=True)"),
    ("2,6,5,2", "tf.image.resize(t0, [9, 3], method='area')"),
    ("2,6,5,2", "tf.image.resize(t0, [9, 3], method='lanczos5', preserve_aspect_ratio=True)"),
    ("5,4,3:uint8.below256", "tf.image.resize(t0, [7, 3], method='nearest')"),
    # boxes
    (BOXES, "tf.image.non_max_suppression(t0, t1, 4)"),
    (BOXES, "tf.image.non_max_suppression(t0, t1, 6, iou_threshold=0.25, score_threshold=0.5)"),
    (BOXES, "tf.image.non_max_suppression_padded(t0, t1, 4, pad_to_max_output_size=True)"),
    (BOXES, "tf.image.non_max_suppression_with_scores(t0, t1, 4, soft_nms_sigma=0.5)"),
    ("1,6,1,4:float32.positive 1,6,2:float32.positive", "tf.image.combined_non_max_suppression(t0, t1, 3, 4)"),
    ("1,6,6,3 1,2,4:float32.positive", "tf.image.draw_bounding_boxes(t0, tf.math.sigmoid(t1), "
                                                     "[[1.0, 0.0, 0.5]])"),
    # how alike two images are
    ("2,12,13,2 2,12,13,2", "tf.image.ssim(t0, t1, 1.0)"),
    ("12,13,1:uint8.below256 12,13,1:uint8.below256", "tf.image.ssim(t0, t1, 255, filter_size=3, filter_sigma=1.0)"),
    ("12,13,1 12,13,1", "tf.image.ssim_multiscale(t0, t1, 1.0, power_factors=[0.5, 0.5], "
                                                    "filter_size=3)"),
    # files of pixels, written and read
    (BYTES, "tf.image.decode_png(tf.image.encode_png(t0))"),
    (BYTES, "tf.image.decode_png(tf.image.encode_png(t0), channels=1)"),
    (BYTES, "tf.image.decode_jpeg(tf.image.encode_jpeg(t0, quality=100), dct_method='INTEGER_ACCURATE')"),
    (BYTES, "tf.image.decode_and_crop_jpeg(tf.image.encode_jpeg(t0), [1, 1, 3, 2])"),
    (BYTES, "tf.image.decode_image(tf.image.encode_png(t0))"),
    (BYTES, "tf.image.extract_jpeg_shape(tf.image.encode_jpeg(t0))"),
    (BYTES, "tf.image.is_jpeg(tf.image.encode_jpeg(t0))"),
    # tf.signal: windows, and what needs a size
    ("6", "tf.math.multiply(t0, tf.signal.hann_window(6))"),
    ("6", "tf.math.multiply(t0, tf.signal.hamming_window(6, periodic=False))"),
    ("6", "tf.math.multiply(t0, tf.signal.vorbis_window(6))"),
    ("6", "tf.math.multiply(t0, tf.signal.kaiser_window(6, 3.0))"),
    ("6", "tf.math.multiply(t0, tf.signal.kaiser_bessel_derived_window(6))"),
    ("2,16", "tf.signal.mdct(t0, 8)"),
    ("2,16", "tf.signal.mdct(t0, 8, norm='ortho', pad_end=True)"),
    ("2,4,4", "tf.signal.inverse_mdct(t0, norm='ortho')"),
    ("2,8", "tf.signal.dct(t0, type=1)"),
    ("2,8", "tf.signal.dct(t0, type=2, n=5, norm='ortho')"),
    ("2,8", "tf.signal.dct(t0, type=4)"),
    ("2,8", "tf.signal.idct(t0, type=1)"),
    ("2,8", "tf.signal.rfft(t0, [5])"),
    ("2,5:complex64", "tf.signal.irfft(t0)"),
    ("2,5:complex64", "tf.signal.irfft(t0, [7])"),
    ("3,5:complex64", "tf.signal.irfft2d(t0)"),
    ("2,3,5:complex64", "tf.signal.irfft3d(t0)"),
    ("2,3,4:complex64", "tf.signal.fft3d(t0)"),
    ("2,3,4:complex64", "tf.signal.ifft3d(t0)"),
    ("2,3,4", "tf.signal.rfft3d(t0)"),
    ("2,16", "tf.signal.stft(t0, 8, 4, fft_length=8)"),
    ("2,3,5:complex64", "tf.signal.inverse_stft(t0, 8, 4, "
                        "window_fn=tf.signal.inverse_stft_window_fn(4))"),
    ("2,9", "tf.tensordot(t0, tf.signal.linear_to_mel_weight_matrix(4, 9, 8000), 1)"),
    ("2,16", "tf.signal.frame(t0, 5, 3, pad_end=True, pad_value=0.5)"),
    # tf.sparse: two sides, and parts
    ("3,4 4,2", "tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(t0), t1)"),
    ("3,4 3,2", "tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(t0), t1, adjoint_a=True)"),
    ("2,3 2,3", "tf.sparse.concat(0, [tf.sparse.from_dense(t0), tf.sparse.from_dense(t1)])"),
    ("2,3 2,4", "tf.sparse.concat(1, [tf.sparse.from_dense(t0), tf.sparse.from_dense(t1)])"),
    ("3,4", "tf.sparse.reduce_sum(tf.sparse.from_dense(t0), axis=1)"),
    ("3,4", "tf.sparse.reduce_sum(tf.sparse.from_dense(t0), keepdims=True)"),
    ("3,4", "tf.sparse.reduce_max(tf.sparse.from_dense(t0), axis=0)"),
    ("3,4", "tf.sparse.slice(tf.sparse.from_dense(t0), [1, 1], [2, 2])"),
    ("3,4", "tf.sparse.split(sp_input=tf.sparse.from_dense(t0), num_split=2, axis=1)[1]"),
    ("3,4", "tf.sparse.reset_shape(tf.sparse.from_dense(t0), [4, 5])"),
    ("3,4", "tf.sparse.map_values(tf.math.abs, tf.sparse.from_dense(t0))"),
    ("3,4", "tf.sparse.softmax(tf.sparse.from_dense(t0))"),
    ("3,4", "tf.sparse.transpose(tf.sparse.from_dense(t0), perm=[1, 0])"),
    ("3,4", "tf.sparse.segment_sum(t0, [0, 2], [0, 0])"),
)


def calls():
    """(name, form) of each."""
    return written.forms(CALLS)
