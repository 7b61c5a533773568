"""
title: The gradient of tf.linalg.eigh_tridiagonal is wrong: by a diagonal 0.94, 0, 0.06 where 0.81, 0.18, 0.01 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: Eigenvalues alone, which are found by bisection.  They are right, and so is the gradient of
    tf.linalg.eigvalsh of the same matrix.
rule: The gradient of a simple eigenvalue by the elements of the diagonal is the squared eigenvector; the page of the
    function has no word of an exception.
documented: docs/methods/equiv.md, Documented functions
found: equiv
tracker: none found; https://github.com/tensorflow/tensorflow/pull/115086 is about other faults of the function
"""
import numpy as np

from library import right, verdict, with_tf, wrong

DIAGONAL, BESIDE, HEAD = np.array([1.0, 2, 4]), np.array([0.5, 0.75]), np.array([1.0, 0, 0])


def matrix(diagonal, beside):
    return np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)


def by_diagonal(f):
    """The gradient of the smallest eigenvalue by the diagonal."""
    def inner(tf):
        d = tf.constant(DIAGONAL)
        with tf.GradientTape() as tape:
            tape.watch(d)
            y = tf.reduce_sum(f(tf, d) * HEAD)
        return tape.gradient(y, d).numpy()
    return with_tf(inner)


def digits(got):
    return lambda: np.round(got(), 6) + 0.0


def whole(tf, d):
    return tf.linalg.eigvalsh(tf.linalg.diag(d) + (matrix(DIAGONAL, BESIDE) - np.diag(DIAGONAL)))


expected = np.round(np.linalg.eigh(matrix(DIAGONAL, BESIDE))[1][:, 0] ** 2, 6)
wrong("eigh_tridiagonal", digits(by_diagonal(lambda tf, d: tf.linalg.eigh_tridiagonal(d, BESIDE))), expected)
right("eigvalsh", digits(by_diagonal(whole)), expected)
right("eigenvalues", digits(with_tf(lambda tf: tf.linalg.eigh_tridiagonal(DIAGONAL, BESIDE).numpy())),
      np.round(np.linalg.eigvalsh(matrix(DIAGONAL, BESIDE)), 6))
verdict()
