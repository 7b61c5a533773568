def called(form, tensors, packages):
    """What a form says: a call in Python."""
    variables, call = form.split(" | ")
    return eval(call, {**packages, **dict(zip([v.partition(":")[0] for v in variables.split()], tensors))})

def out(result, i):
    return result[i]

def leaves(result):
    if isinstance(result, dict):
        return [a for key in sorted(result, key=str) for a in leaves(result[key])]
    if isinstance(result, (tuple, list)):
        return [a for r in result for a in leaves(r)]
    return [result] if is_array(result) or isinstance(result, (int, float, complex)) else []

def pattern(shape, start):
    numbers = np.array([1.0, -0.5, 0.75, -1.0, 0.5, 0.25, -0.75])
    return numbers[(np.arange(int(np.prod(shape, dtype=int))) + start) % 7].reshape(shape)

def weight(number, shape, k):
    """What result k is multiplied with before all are summed."""
    return head(number + 101 * k, tuple(shape)) if number else pattern(shape, 3 * k + 1)

def along(number, shape, i):
    """The direction of derivatives: its part for tensor i of those that are derived by."""
    return head(number + 1009 + 17 * i, tuple(shape)) if number else pattern(shape, i)

