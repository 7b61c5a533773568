"""Forms from tables that people wrote: rows of the sizes of t0, t1 …, and the call.  Behind a colon a size has the
element type with what numbers it has, where it is not float32."""


def forms(table):
    """Pairs of a name, that of the outermost call, and a form."""
    for sizes, call in table:
        variables = []
        for i, size in enumerate(sizes.split()):
            shape, _, kind = size.partition(":")
            variables.append(f"t{i}:{kind or 'float32'}[{shape}]")
        yield call.partition("(")[0], f"{' '.join(variables)} | {call}"
