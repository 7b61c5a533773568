"""Chains of PyTorch's functions: what the rewrites of inductor (torch/_inductor/fx_passes) and of TorchScript
(torch/csrc/jit/passes) look for, and next to each one that looks nearly the same and is something else: another axis,
another type, a number that is not the neutral one.  It is what learned.patterns() is for packages of NumPy's names."""

import ast

# {f}: torch.nn.functional.  Sizes of t0, t1 …; behind a colon the element type, where it is not float32.
PATTERNS = (
    # pointless operations: joint_graph.remove_no_ops, post_grad.remove_noop_ops, TorchScript's peephole
    ("2,3", "torch.add(torch.mul(t0, 1), 0)"),
    ("2,3", "torch.add(t0, torch.zeros(2, 3))"),
    ("1,3", "torch.add(t0, torch.zeros(2, 3))"),
    ("2,3:int8", "torch.mul(t0, torch.ones(2, 3))"),
    ("2,3", "torch.sub(torch.zeros(2, 3), t0)"),
    ("2,3", "torch.mul(t0, torch.zeros(2, 3))"),
    ("2,3", "torch.div(torch.full((2, 3), 1.0), t0)"),
    ("2,3:int8", "torch.div(t0, torch.full((2, 3), 1))"),
    ("2,3", "torch.div(torch.mul(t0, 3.0), 3.0)"),
    ("2,3", "torch.div(torch.div(t0, 3), 7.0)"),
    ("2,3", "torch.sub(t0, torch.mul(t0, 1))"),
    ("2,3", "torch.div(t0, torch.add(t0, 0))"),
    ("2,3", "torch.neg(torch.neg(t0))"),
    ("2,3", "torch.pow(torch.pow(t0, 1), 2)"),
    ("2,3", "torch.pow(torch.pow(t0, 2), 0.5)"),
    ("2,3:int32", "torch.ceil(torch.floor(t0))"),
    ("2,3:bool", "torch.logical_not(torch.logical_not(t0))"),
    ("2,3:int8", "torch.logical_not(torch.logical_not(t0))"),
    ("2,3 2,3", "torch.logical_not(torch.lt(t0, t1))"),
    ("2,3 2,3", "torch.where(torch.ge(t0, t1), t0, t1)"),
    # numbers that are the same everywhere: joint_graph.constant_fold_uniform_value
    ("2,3", "torch.mul(torch.full((2, 1), 2), torch.mul(torch.full((3,), 0.5), t0))"),
    ("2,3", "torch.add(t0, torch.mul(torch.ones(2, 3, dtype=torch.int8), 50).mul(2))"),
    ("2,3", "torch.where(torch.full((2, 3), True), t0, 0)"),
    ("2,3", "torch.where(torch.full((2, 1), False), t0, torch.full((), 2, dtype=torch.float64))"),
    # types one after the other: joint_graph.pointless_convert (not to fewer digits and back: inductor's own setting,
    # emulate_precision_casts, decides whether that rounds)
    ("2,3", "torch.abs(t0.to(torch.float64).to(torch.float32))"),
    ("2,3:float16", "torch.abs(t0.to(torch.float32).to(torch.float16))"),
    ("2,3", "torch.neg(t0.to(torch.bool).to(torch.float32))"),
    ("2,3:bool", "torch.neg(t0.to(torch.int8).to(torch.float32))"),
    ("2,3 2,3:float64", "torch.add(torch.add(t0, t1.type_as(t0)).to(torch.float64), t1)"),
    # views: pointless_view(_pair), pointless_permute_pair, remove_redundant_views, peephole's t().t()
    ("2,3,4", "t0.view(6, 4).view(2, 3, 4)"),
    ("2,3,4", "t0.view(4, 6).view(4, 3, 2)"),
    ("2,3,4", "t0.permute(2, 0, 1).permute(1, 2, 0)"),
    ("2,3,4", "t0.permute(2, 0, 1).permute(2, 0, 1)"),
    ("2,3,4", "torch.transpose(torch.transpose(t0, 0, 1), 1, 2)"),
    ("3,3", "torch.t(torch.t(t0)).add(torch.t(t0))"),
    ("2,3", "t0.unsqueeze(1).squeeze(1).unsqueeze(0).squeeze(0)"),
    ("1,3,1", "t0.unsqueeze(1).squeeze()"),
    ("1,3", "t0.expand(2, 3).expand(4, 2, 3)"),
    ("2,3", "t0.expand(2, 3).repeat(1, 1)"),
    ("2,6", "torch.flip(torch.flip(t0, (1,)), (1, 0))"),
    ("2,6", "torch.roll(torch.roll(t0, 2, 1), -2, 1)"),
    ("2,6", "torch.roll(torch.roll(t0, 2, 0), -2, 1)"),
    ("2,3", "{f}.pad(t0, (0, 0, 0, 0)).clone()"),
    ("2,3", "{f}.pad({f}.pad(t0, (1, 0)), (-1, 1), value=2.0)"),
    # split and cat: split_cat, post_grad.cat_slice_cat, splitwithsizes_cat_replace, TorchScript's concat optimization
    ("2,6", "torch.cat(torch.split(t0, 2, 1), 1)"),
    ("2,6", "torch.cat(torch.split(t0, 2, 1), 0)"),
    ("2,6", "torch.cat(torch.split(t0, [1, 2, 3], 1)[1:], 1)"),
    ("2,6", "torch.cat([torch.split(t0, [1, 2, 3], -1)[2], torch.split(t0, [1, 2, 3], -1)[0]], -1)"),
    ("2,6", "torch.stack(torch.unbind(t0, 1), 1)"),
    ("2,6", "torch.stack(torch.unbind(t0, 1), 0)"),
    ("4,6", "torch.cat(torch.unbind(t0.view(4, 2, 3), 1), 1)"),
    ("2,6", "torch.cat([{f}.relu(torch.chunk(t0, 3, 1)[0]), {f}.relu(torch.chunk(t0, 3, 1)[1])], 1)"),
    ("2,6", "{f}.relu(torch.cat([t0[:, :3], t0[:, 3:]], 1))"),
    ("2,6 2,5", "torch.cat([torch.cat([t0, t1], 1), torch.cat([t0, t1], 1)[:, 0:6]], 1)"),
    ("2,6 2,5", "torch.cat([torch.cat([t0, t1], 1), torch.cat([t0, t1], 1)[:, 0:5]], 1)"),
    ("2,6 2,5:int16", "torch.cat([torch.cat([t0, t1], 1), t0], 1)"),
    ("2,3 2,3", "torch.cat([torch.cat([t0], 0), torch.cat([t1], 1)], 0)"),
    ("2,3 2,3", "torch.sum(torch.cat([t0, t1], 1), 1, keepdim=True)"),
    ("2,3 2,3", "torch.sum(torch.cat([t0, t1], 0), 1)"),
    ("2,3 2,3", "torch.add(torch.cat([t0, t1], 0)[0:2], torch.cat([t0, t1], 0)[2:4])"),
    ("2,6", "torch.slice_scatter(t0, t0[:, 1:5], 1, 1, 5)"),
    ("2,6 2,6", "torch.slice_scatter(t0, t1, 1, 0, 6)[:, 2:4]"),
    # products: addmm, mm_plus_mm, bmm_to_mm, pad_mm, permute_matmul_fusion, batch_mm, fuse_linear
    ("4,4 4,4 4", "torch.add(torch.mm(t0, t1), t2)"),
    ("4,4 4,4 4,1", "torch.add(t2, torch.mm(t0, t1))"),
    ("4,4 4,4 2,4,4", "torch.add(torch.mm(t0, t1), t2)"),
    ("4,4 4,4 4", "torch.sub(torch.mm(t0, t1), t2)"),
    ("4,4 4,4 4,4 4,4", "torch.add(torch.mm(t0, t1), torch.mm(t2, t3))"),
    ("4,4 4,4 4,4", "torch.add(torch.add(torch.mm(t0, t1), torch.mm(t0, t2)), torch.add(torch.mm(t1, t0), "
     "torch.mm(t2, t0)))"),
    ("4,4 4,1 1,4", "torch.add(torch.mm(t0, t1), torch.mm(t1, t2).mm(t1))"),
    ("1,3,4 1,4,2", "torch.bmm(t0, t1).squeeze(0)"),
    ("3,5 7,5", "torch.mm({f}.pad(t0, (0, 3)), torch.t({f}.pad(t1, (0, 3))))"),
    ("3,5 7,5 7", "torch.add(torch.matmul(t0, torch.t(t1)), t2)"),
    ("3,5 7,5 3,1", "torch.add(torch.matmul(t0, torch.t(t1)), t2)"),
    ("2,5,3 4,5", "{f}.linear(t0.permute(0, 2, 1), t1)"),
    ("2,5,3 4,5 4", "{f}.linear(t0, torch.mul(t1[:, :3], 2.0), t2).permute(0, 2, 1)"),
    ("2,3,4 2,3,4", "torch.matmul(t0, t1.permute(0, 2, 1))"),
    ("3,5 7,5 7", "{f}.gelu({f}.linear(t0, t1, t2))"),
    ("3,5 7,5 7", "{f}.gelu({f}.linear(t0, t1, t2), approximate='tanh')"),
    ("3,5 7,5", "torch.cat([{f}.linear(t0, t1), {f}.linear(t0, t1[:3])], 1)"),
    # one function after itself, and orders that a function keeps
    ("2,3", "{f}.relu({f}.relu(t0))"),
    ("2,3", "{f}.relu(torch.neg({f}.relu(t0)))"),
    ("2,3", "torch.clamp(torch.clamp(t0, -1.0, 1.0), -0.5, 2.0)"),
    ("2,3", "torch.clamp(torch.clamp(t0, -1.0, 0.0), 0.5, 2.0)"),
    ("2,3:int8", "torch.clamp(torch.clamp(t0, -1, 2), -0.5, 1.5)"),
    ("2,3:positive", "torch.amax(torch.sqrt(t0), 1)"),
    ("2,3:positive", "torch.amin(torch.log(t0), 0, keepdim=True)"),
    ("2,3", "torch.amax(torch.exp(torch.neg(t0)), 1)"),
    ("2,3", "torch.maximum(torch.minimum(t0, torch.full((3,), 2.0)), torch.full((2, 1), -2.0))"),
    # parts of activations, norms and attention: fuse_attention, joint_graph.mul_softmax_pattern, Welford's variance
    ("2,3", "torch.mul(torch.sigmoid(t0), t0)"),
    ("2,3", "torch.mul(t0, torch.rsqrt(torch.add(torch.mean(torch.pow(t0, 2), 1, keepdim=True), 1e-5)))"),
    ("3,3", "torch.mul(t0, torch.rsqrt(torch.add(torch.mean(torch.pow(t0, 2), 1), 1e-5)))"),
    ("3,4", "torch.div(torch.sub(t0, torch.mean(t0, 1, keepdim=True)), torch.sqrt(torch.add(torch.var(t0, 1, "
     "correction=0, keepdim=True), 1e-5)))"),
    ("2,3", "torch.softmax(torch.mul(t0, 0.5), 1)"),
    ("2,3", "torch.softmax(torch.mul(t0, -2.0), 0)"),
    ("2,3 2,1", "torch.sub(torch.mul(t0, t1), torch.amax(torch.mul(t0, t1), 1, keepdim=True))"),
    ("2,3 2,1", "torch.sub(torch.div(t0, t1), torch.amax(torch.div(t0, t1), 1, keepdim=True))"),
    ("2,3 3", "torch.sub(torch.mul(t0, t1), torch.amax(torch.mul(t0, t1), 1, keepdim=True))"),
    ("2,3", "torch.sub(torch.div(t0, 0.0), torch.amax(torch.div(t0, 0.0), 1, keepdim=True))"),
    ("2,3", "torch.div(torch.exp(torch.sub(t0, torch.amax(t0, 1, keepdim=True))), torch.sum(torch.exp(torch.sub(t0, "
     "torch.amax(t0, 1, keepdim=True))), 1, keepdim=True))"),
    ("2,3", "torch.log(torch.softmax(t0, 1))"),
    ("2,3 2,3:bool", "torch.softmax(torch.masked_fill(t0, t1, -torch.inf), 1)"),
    ("1,2,3,4 1,2,3,4 1,2,3,4", "torch.matmul(torch.softmax(torch.div(torch.matmul(t0, t1.transpose(-2, -1)), 2.0), "
     "-1), t2)"),
    ("1,2,3,4 1,2,3,4 1,2,3,4", "torch.matmul(torch.softmax(torch.mul(torch.matmul(t0, t1.transpose(-2, -1)), 3), "
     "-1), t2)"),
    ("1,2,3,4 1,2,3,4 1,2,3,4 3,3", "torch.matmul(torch.softmax(torch.add(torch.mul(torch.matmul(t0, "
     "t1.transpose(-2, -1)), 0.5), t3), -1), t2)"),
    ("2,3 2,3:bool", "torch.where(t1, torch.where(t1, t0, 2.0), 3.0)"),
    ("2,3 2,3:bool", "t0.masked_fill(t1, 2.0).masked_fill(torch.logical_not(t1), 3)"),
    # convolutions: conv_bn_fusion, binary_folding, frozen_conv_folding
    ("1,2,4,4 3,2,3,3 3 3:positive", "{f}.batch_norm({f}.conv2d(t0, t1), t2, t3)"),
    ("1,2,4,4 3,2,3,3 3 3:positive 3 3", "{f}.batch_norm({f}.conv2d(t0, t1, t2, padding=1), t2, t3, t4, t5)"),
    ("1,2,4,4 3,2,3,3 3,1,1", "torch.mul({f}.conv2d(t0, t1), t2)"),
    ("1,2,4,4 3,2,3,3 2", "torch.add({f}.conv2d(t0, t1), t2)"),
    ("1,2,4,4 3,2,3,3 3,1,1", "torch.div({f}.conv2d({f}.pad(t0, (1, 1, 1, 1)), t1), t2)"),
    ("1,2,4,4 3,2,3,3", "{f}.conv2d({f}.pad(t0, (1, 1, 1, 1), value=2.0), t1, padding=1)"),
    # indices: pointless_cumsum_replacement, reduced_atomic_contention, scatters of one number, ranges
    ("2,6", "torch.add(t0, torch.cumsum(torch.ones(2, 6), 1))"),
    ("2,6", "torch.add(t0, torch.cumsum(torch.full((2, 6), 3, dtype=torch.int8), 0))"),
    ("2,6", "torch.add(t0, torch.cumsum(torch.full((2, 6), True), 1))"),
    ("2,6", "torch.add(t0, torch.cumsum(torch.full((2, 6), 40, dtype=torch.uint8), 1, dtype=torch.uint8))"),
    ("2,6", "torch.add(t0, torch.cumsum(torch.full((2, 6), 2), -1, dtype=torch.float64))"),
    ("4,3 2,3", "torch.index_put(torch.zeros(4, 3), (torch.tensor([1, 1]),), t1, accumulate=True).add(t0)"),
    ("4,3", "torch.scatter(t0, 1, torch.tensor([[0, 2], [1, 0]]), torch.full((2, 2), 2.0))"),
    ("4,3:int8", "torch.scatter(torch.full((4, 3), 7.0), 1, torch.tensor([[0], [1], [2], [0]]), 2.5).add(t0)"),
    ("4,3", "torch.scatter(torch.zeros(4, 3), 1, torch.tensor([[0], [1], [2], [0]]), 1).mul(t0)"),
    ("4,3", "torch.index_select(t0, 0, torch.arange(4))"),
    ("4,3", "torch.index_select(t0, 0, torch.arange(3, -1, -1))"),
    ("4,3", "torch.gather(t0, 1, torch.arange(3).expand(4, 3))"),
    ("2,6 4", "torch.bucketize(torch.neg(t0), torch.sort(t1)[0], right=True)"),
    ("5", "torch.bucketize(t0, torch.arange(0, 4, dtype=torch.float32))"),
    ("3,4", "torch.triu(torch.tril(t0, 1), -1)"),
    ("3,4", "torch.mul(t0, torch.tril(torch.ones(3, 4)))"),
)


def variables(sizes):
    """`2,3 4:int8` as t0:float32[2,3] t1:int8[4]; `positive` is a word of float32's."""
    for i, size in enumerate(sizes.split()):
        shape, _, kind = size.partition(":")
        kind = {"": "float32", "positive": "float32.positive"}.get(kind, kind)
        yield f"t{i}:{kind}[{shape}]"


def outermost(call):
    """The documented name of the last function of a chain."""
    node = ast.parse(call, mode="eval").body
    while isinstance(node, ast.Subscript):
        node = node.value
    name, start = ast.unparse(node.func), node.func
    while isinstance(start, ast.Attribute):
        start = start.value
    plain = isinstance(start, ast.Name) and start.id == "torch"
    return name if plain else f"torch.Tensor.{node.func.attr}"


def chains():
    """(name, form) of each."""
    for sizes, text in PATTERNS:
        call = text.replace("{f}", "torch.nn.functional")
        yield outermost(call), f"{' '.join(variables(sizes))} | {call}"
