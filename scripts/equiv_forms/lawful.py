"""What documentation demands of arguments, and numbers that are drawn do not have: forms see to it."""

import re

# parts of a call, and what stands there instead
SORTED = (
    ("jax.numpy.searchsorted(t0", "jax.numpy.searchsorted(jax.numpy.sort(t0)"),
    ("jax.numpy.interp(t0, t1", "jax.numpy.interp(t0, jax.numpy.sort(t1)"),
    ("tf.searchsorted(t0", "tf.searchsorted(tf.sort(t0)"),
    ("torch.bucketize(t0, t1", "torch.bucketize(t0, torch.sort(t1)[0]"),
)
# where a function is defined: what it is outside of that nobody says, and ways to compute it differ
# (which of several NaNs is the largest, too; and tanh of most numbers is 1 or next to it, by rounding alone)
POSITIVE = re.compile(r"\.(kaiser|igammac?|gammaincc?|betainc|betaln|zeta|required_space_to_batch_paddings)\("
                      r"|\.argmax\([\w.]+\.(sqrt|log|log1p|rsqrt)\(")
DOMAIN = (
    (r"tf\.math\.(ndtri|erfcinv)\(t0\)", r"tf.math.\1(tf.math.sigmoid(t0))"),
    (r"tf\.math\.erfinv\(t0\)", "tf.math.erfinv(tf.math.multiply(tf.math.tanh(t0), 0.875))"),
    (r" t1:float32\[[\d,]*\] \| tf\.math\.polygamma\(t0, t1\)", " | tf.math.polygamma(1.0, tf.math.abs(t0))"),
    (r"tf\.math\.betainc\(t0, t1, t2\)", "tf.math.betainc(t0, t1, tf.math.sigmoid(t2))"),
    (r"jax\.(lax|scipy\.special)\.betainc\(t0, t1, t2\)", r"jax.\1.betainc(t0, t1, jax.nn.sigmoid(t2))"),
    (r"jax\.scipy\.special\.erfinv\(t0\)", "jax.scipy.special.erfinv(jax.numpy.multiply(jax.numpy.tanh(t0), 0.875))"),
    (r" t2:float32\[[\d,]*\] \| tf\.clip_by_global_norm\(\[t0, t1\], t2", " | tf.clip_by_global_norm([t0, t1], 1.5"),
    (r" t1:float32\[[\d,]*\] \| tf\.clip_by_norm\(t0, t1", " | tf.clip_by_norm(t0, 1.5"),  # a number above 0
    (r"(float32|int32)(?=\[.*\| tf\.image\.)", r"\1.plain"),  # an image has no infinite colours
    # a shift by less than 0, or by all bits of the narrowest type, is not defined
    (r" t1:(u?int\d+)(\[[\d,]*\] \| .*_shift_?\()", r" t1:\1.below8\2"),
    # the lower end first
    (r"keras\.ops\.clip\(t0, t1, t2\)", "keras.ops.clip(t0, keras.ops.minimum(t1, t2), keras.ops.maximum(t1, t2))"),
    (r"jax\.lax\.clamp\(t0, t1, t2\)", "jax.lax.clamp(jax.numpy.minimum(t0, t2), t1, jax.numpy.maximum(t0, t2))"),
    (r"tf\.clip_by_value\(t0, t1, t2\)", "tf.clip_by_value(t0, tf.math.minimum(t1, t2), tf.math.maximum(t1, t2))"),
    # documented: targets of a binary cross entropy are between 0 and 1
    (r"(\.binary_cross_entropy_with_logits\(t0, |\.BCEWithLogitsLoss\([^|]*\) \| m\(t0, )t1\b", r"\1torch.sigmoid(t1)"),
    # documented: colours between 0 and 1
    (r"(float32\.plain\[[\d,]*\] \| tf\.image\.(?:adjust_hue|adjust_saturation|rgb_to_hsv|hsv_to_rgb)\()t0\b",
     r"\1tf.math.sigmoid(t0)"),
    # documented: labels and predictions are probabilities
    (r"(tf\.keras\.losses\.(?:KLD|kld|kullback_leibler_divergence|(?:binary|categorical)_(?:focal_)?crossentropy)\()"
     r"t0, t1\b", r"\1tf.math.sigmoid(t0), tf.math.sigmoid(t1)"),
    # documented: above (p - 1) / 2 alone; below are poles, and rounding decides which numbers are on one
    (r"\b(torch\.mvlgamma\(|torch\.special\.multigammaln\()t0\b", r"\1torch.add(torch.abs(t0), 3)"),
    (r"\| t0(\.mvlgamma_?\()", r"| torch.add(torch.abs(t0), 3)\1"),
    # documented: who says that a matrix is Hermitian gives one
    (r"(torch\.linalg\.\w+\()t0(, hermitian=True)", r"\1torch.add(t0, torch.transpose(t0, -2, -1).conj())\2"),
    (r"(jax\.(?:numpy|lax)\.linalg\.\w+\()t0(, (?:symmetrize_input=False|is_hermitian=True))",
     r"\1jax.numpy.add(t0, jax.numpy.conj(jax.numpy.swapaxes(t0, -2, -1)))\2"),
    # documented: the second one is symmetric, and of the result the lower triangle alone is promised
    (r"\| (jax\.lax\.linalg\.symmetric_product\(t0, )t1((?:, [^()]*)?\))$",
     r"| jax.numpy.tril(\1jax.numpy.add(t1, jax.numpy.swapaxes(t1, -2, -1))\2)"),
    # documented: beside the diagonal is one number less
    (r" t1:(\w+)\[\d,3\] \| tf\.linalg\.eigh_tridiagonal\(t0", r" t1:\1[2] | tf.linalg.eigh_tridiagonal(t0"),
    (r"tf\.((?:math\.)?(?:reduce_all|reduce_any|logical_not))\(\[t0, t1\]", r"tf.\1(tf.math.greater(t0, t1)"),
)
# losses whose last tensor is 1 or -1, and what makes that of any numbers
SIGNED = re.compile(r"(\.(?:soft_margin|hinge_embedding)_loss\(t0, "
                    r"|\.(?:margin_ranking|cosine_embedding)_loss\(t0, t1, "
                    r"|\.(?:SoftMargin|HingeEmbedding)Loss\(.*\| m\(t0, "
                    r"|\.(?:MarginRanking|CosineEmbedding)Loss\(.*\| m\(t0, t1, )(t\d)\b")
SIGN = r"\1torch.sub(torch.mul(torch.ge(\2, 0), 2), 1).type_as(\2)"
NO_ORDER = re.compile(r"complex64.*(tf\.math\.greater|searchsorted)\(")  # complex numbers have none
# what the caller promises of numbers, and drawing does not keep
PROMISES = re.compile(r"(unique_indices|indices_are_sorted|assume_unique|assume_unique_indices)=True"
                      r"|aggregate_to_topk=False")  # documented: what is not aggregated depends on the device
# Keras tells of complex numbers where these are what a function is about, and nowhere else
REAL = re.compile(r"complex64.*\| keras\.(?!ops\.(real|imag|conj|conjugate|angle|view_as_real|abs|absolute|iscomplex"
                  r"|isreal)\()")
BEYOND = re.compile(r"keras\.ops\.slice\w*\(.*\((2, 3|6,|4, 4)")  # a start behind the last element
# a size for each axis but the first and the last
SIZES = re.compile(r"\[\d+,\d+,\d+\] \| keras\.ops\.adaptive_\w+\(t0, \(\d+, \d+")
# a number of elements is whole
LENGTH = re.compile(r"float32\[\] \| keras\.ops\.(bartlett|blackman|hamming|hanning)\(")
MIXED = re.compile(r"ctc_greedy_decoder\(\[")  # tensors of one type, which a list of drawn ones need not have


def lawful(form):
    """The form as documentation wants it; None where it cannot be."""
    if any(pattern.search(form) for pattern in (PROMISES, MIXED, REAL, BEYOND, SIZES, LENGTH)):
        return None
    for call, instead in SORTED:
        form = form.replace(call, instead)
    for call, instead in DOMAIN:
        form = re.sub(call, instead, form)
    form = SIGNED.sub(SIGN, form)
    if POSITIVE.search(form):
        form = re.sub(r"(float32|int32|int64)\[", r"\1.positive[", form)
    return None if NO_ORDER.search(form) else form
