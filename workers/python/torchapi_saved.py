"""Modes of torchapi_worker.py that go through a file, and batches as their items."""

import io

import forms
from worker_types import Unsupported

STEPS = 2  # of training, before a checkpoint and after it


def module(b, form, seed=None):
    """The module of a form; with `seed`, one with other weights."""
    if form.made is None:
        raise Unsupported("a function has no weights")
    made = b.made(form) if seed is None else b.made(form, seed)
    if not isinstance(made, b.torch.nn.Module):
        raise Unsupported("no module")
    return made


def through(save, load):
    """What is read of what was written."""
    with io.BytesIO() as file:
        save(file)
        file.seek(0)
        return load(file)


def saved(**how):
    """A module as a whole."""
    def run(b, form, tensors):
        made = module(b, form)
        again = through(lambda f: b.torch.save(made, f, **how), lambda f: b.torch.load(f, weights_only=False))
        return form.function(again)(*tensors)
    return run


def state_dict(b, form, tensors):
    """Weights alone, into a module that had others."""
    made, other = module(b, form), module(b, form, b.SEED + 1)
    state = through(lambda f: b.torch.save(made.state_dict(), f), lambda f: b.torch.load(f, weights_only=True))
    other.load_state_dict(state)
    return form.function(other)(*tensors)


def saved_program(build, package):
    """A program as `build` makes it, through a file of its own format; `package`: has its save() and load()."""
    def run(b, form, tensors):
        program = build(b, form, tensors)
        part = package(b.torch)
        again = through(lambda f: part.save(program, f), part.load)
        return (again.module() if hasattr(again, "module") else again)(*tensors)
    return run


def step(b, form, made, optimizer, tensors):
    """One step of training by Σ head · result; gives the loss."""
    results = [r for r in forms.leaves(form.function(made)(*tensors), b.torch.is_tensor)
               if b.torch.is_tensor(r) and r.is_floating_point()]
    if not results:
        raise Unsupported("no result of floats")
    loss = sum((r * b.direction(r.shape, r.dtype, 3 * k + 1)).sum() for k, r in enumerate(results))
    if not loss.requires_grad:
        raise Unsupported("nothing to train")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def training(checkpoint):
    """Some steps, perhaps a checkpoint that a module with other weights goes on from, some more: losses and weights."""
    def run(b, form, tensors):
        made = module(b, form)
        weights = list(made.parameters())
        if not weights:
            raise Unsupported("nothing to train")
        optimizer = b.torch.optim.Adam(weights, lr=0.01)
        losses = [step(b, form, made, optimizer, tensors) for _ in range(STEPS)]
        if checkpoint:
            kept = {"module": made.state_dict(), "optimizer": optimizer.state_dict()}
            kept = through(lambda f: b.torch.save(kept, f), lambda f: b.torch.load(f, weights_only=True))
            made = module(b, form, b.SEED + 1)
            optimizer = b.torch.optim.Adam(made.parameters(), lr=0.5)
            made.load_state_dict(kept["module"])
            optimizer.load_state_dict(kept["optimizer"])
        losses += [step(b, form, made, optimizer, tensors) for _ in range(STEPS)]
        return losses + list(made.parameters())
    return run


def items(b, form, tensors):
    """A network's batch, one item after the other."""
    made = module(b, form)
    if not isinstance(made, b.torch.nn.Sequential):
        raise Unsupported("which axis is the batch of a module by itself nobody says")
    f = form.function(made)
    return b.torch.cat([f(*[t[i:i + 1] for t in tensors]) for i in range(tensors[0].shape[0])])


def modes(trace, export):
    """By name; `trace`, `export`: give a program."""
    return {"saved": saved(), "saved_old": saved(_use_new_zipfile_serialization=False), "state_dict": state_dict,
            "saved_trace": saved_program(trace, lambda torch: torch.jit),
            "saved_export": saved_program(export, lambda torch: torch.export), "trained": training(False),
            "resumed": training(True), "items": items}
