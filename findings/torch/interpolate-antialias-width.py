"""
title: interpolate(antialias=True) to a width of 1 returns the first row in all rows: 3, 3 comes out, 3, 8 is right.
library: torch
shows: 2.15.0
class: bug
condition: The output has a width of 1 and another height than the input; bilinear and bicubic, on the CPU.  Its
    gradient is
    right, so that the two do not belong together.  A width of 2, an unchanged height, and antialias=False are right.
rule: torch.nn.functional.interpolate: the rows and columns are interpolated each for itself.
documented: docs/methods/equiv.md, What was measured
tracker: none found
"""
import numpy as np

from library import right, torch, verdict, wrong

x = torch.arange(12.0).reshape(1, 1, 3, 4)


def rows(width, mode="bilinear", antialias=True, height=2):
    """The mean of each row of the result; a mean of columns does not change it."""
    y = torch.nn.functional.interpolate(x, size=(height, width), mode=mode, antialias=antialias)
    return y[0, 0].mean(-1).numpy()


def weights():
    """What the gradient of the second row says of it: weights of the input's rows, applied to them."""
    v = x.clone().requires_grad_()
    torch.nn.functional.interpolate(v, size=(2, 1), mode="bilinear", antialias=True)[0, 0, 1, 0].backward()
    return (v.grad * x).sum().numpy()


# Row means are 1.5, 5.5, 9.5.  A triangle 3 rows wide around 0.25: weights 5 / 8 and 3 / 8 of the first two rows.
means = np.array([5 / 8 * 1.5 + 3 / 8 * 5.5, 3 / 8 * 5.5 + 5 / 8 * 9.5])
wrong("bilinear, 3 x 4 to 2 x 1", lambda: rows(1), means.tolist(), seen=[means[0], means[0]])
wrong("bicubic, 3 x 4 to 2 x 1", lambda: np.diff(rows(1, "bicubic")) > 1, [True], seen=[False])
right("bilinear, 3 x 4 to 2 x 2", lambda: rows(2), means.tolist())
right("bicubic, 3 x 4 to 2 x 2", lambda: np.diff(rows(2, "bicubic")) > 1, [True])
right("bilinear, 3 x 4 to 3 x 1", lambda: rows(1, height=3), [1.5, 5.5, 9.5])
right("bilinear, 3 x 4 to 2 x 1, the second row by its gradient", weights, means[1])
verdict()
