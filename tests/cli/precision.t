# assay check --precision and --against: which nodes can be in a narrower type.
$ python3 - <<END
> import sys
> sys.dont_write_bytecode = True
> sys.path.insert(0, "$SRC/tests/fixtures")
> from make import FLOAT, model, node, npy, tensor, value
> x, y = [value("x", FLOAT, [1, 64])], lambda name, *dims: value(name, FLOAT, list(dims))
> weights = [((i * 37) % 101 - 50) / 400 for i in range(64 * 64)]
> put = lambda name, content: open(name, "wb").write(content)
> put("sum.onnx", model([node("act", "Relu", ["x"], ["a"]), node("total", "ReduceSum", ["a"], ["t"]),
>                        node("halve", "Mul", ["a", "half"], ["h"])], x, [y("t", 1, 1), y("h", 1, 64)],
>                       [tensor("half", FLOAT, [], [0.5])]))
> put("two.onnx", model([node("first", "MatMul", ["x", "w"], ["h"]), node("act", "Relu", ["h"], ["a"]),
>                        node("second", "MatMul", ["a", "w"], ["y"])], x, [y("y", 1, 64)],
>                       [tensor("w", FLOAT, [64, 64], weights)]))
> off = [w + (0.1 if i % 5 == 0 else 0) for i, w in enumerate(weights)]
> for name, second in (("half.onnx", weights), ("off.onnx", off)):
>     put(name, model([node("in", "Cast", ["x"], ["x16"], to=10), node("w16", "Cast", ["w"], ["wh"], to=10),
>                      node("v16", "Cast", ["v"], ["vh"], to=10), node("first", "MatMul", ["x16", "wh"], ["h"]),
>                      node("relu", "Relu", ["h"], ["r"]), node("second", "MatMul", ["r", "vh"], ["y16"]),
>                      node("out", "Cast", ["y16"], ["y"], to=1)], x, [y("y", 1, 64)],
>                     [tensor("w", FLOAT, [64, 64], weights), tensor("v", FLOAT, [64, 64], second)]))
> put("large.npy", npy(FLOAT, [2, 64], [1500.3 + (i * 29) % 500 for i in range(128)]))
> put("small.npy", npy(FLOAT, [2, 64], [((i * 29) % 97 - 48) / 48 for i in range(128)]))
> END

# A sum that float16 does not have: that node stays, and only that one.
$ assay check sum.onnx --precision f16 --data large.npy --svg map.svg
sum.onnx: 3 of 3 nodes in float16, 2 runs of the data
  target: an error of the outputs of at most 0.01 of their root mean square
  all in float32: error 0, 0 of the target; top entry moved in 0 of 2 rows
  all in float16: error inf, inf of the target, output 't'; top entry moved in 0 of 2 rows
  overflow in float16: 'total' (ReduceSum, up to 1.1...e+05)
  to stay in float32: 1 of 3 nodes, the smallest set found: none of them can be left out
  run with them: error 0.000172, 0.0172 of the target, output 't'; top entry moved in 0 of 2 rows
      total (ReduceSum)
node   operator   tensor     local  accumulated  effect  note
total  ReduceSum  t            inf          inf     inf  float32, overflow: 1.1...e+05
...

$ head -c 4 map.svg && grep -o "float32  effect inf" map.svg
<svgfloat32  effect inf

$ assay check sum.onnx --precision f16 --data large.npy --json | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> t = {x["tensor"]: x for x in r["tensors"]}
> print(r["answer"], r["keep"], r["minimal"], r["kept"]["of_target"] <= 1, r["narrow"]["error"])
> print(t["t"]["overflows"], t["t"]["float32"], t["h"]["float32"], t["h"]["effect"] < 1)'
some ['total'] True True inf
1 True False True

$ assay check sum.onnx --precision bf16 --data large.npy | grep "nothing"
  nothing has to stay in float32

# int8, and a target by the order of entries.
$ assay check two.onnx --precision int8 --data small.npy --target 0.1 | head -5
two.onnx: 3 of 3 nodes in int8, 2 runs of the data
  target: an error of the outputs of at most 0.1 of their root mean square
  all in float32: error ...
  all in int8: error 0.01...
  nothing has to stay in float32
$ assay check two.onnx --precision int8 --data small.npy --target top1 | sed -n 2p | cut -c1-78
  target: the largest entry of each row of an output stays where it is; an err

# Finer than float32 is no target.
$ assay check two.onnx --precision f16 --data small.npy --target 1e-12 | grep beyond; assay check two.onnx --precision f16 --data small.npy --target 1e-12 > out
? 1
  float32 itself is beyond the target: no set of nodes meets it

# A model that is float16 already, with other nodes and other names.
$ assay check half.onnx --against two.onnx --data small.npy
half.onnx: 7 nodes, against two.onnx: 3 nodes, 2 runs of the data
  target: an error of the outputs of at most 0.01 of their root mean square
  outputs: error 0.000..., 0.0... of the target; top entry moved in 0 of 2 rows
  3 of the original's 3 float tensors have a counterpart
  the largest effect on the outputs has ...
...
node    operator  tensor     local  accumulated  effect  counterpart
...
act     Relu      a         0.0002     0.000319  0.0...  r (by values)
...
$ assay check half.onnx --against two.onnx --data small.npy --json | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> print([(t["tensor"], t["other_tensor"], t["match"]) for t in r["tensors"]], r["matched"])'
[('h', 'h', 'name'), ('a', 'r', 'values'), ('y', 'y', 'name')] 3

# Wrong weights in its second product: the loss begins there.
$ assay check off.onnx --against two.onnx --data small.npy --svg off.svg
? 1
...
  the loss passes the target first at 'second' (MatMul, tensor 'y', here 'y...
...
  the largest effect on the outputs has 'second' (MatMul, tensor 'y', here 'y...
...
$ grep -c "begins here" off.svg
1

$ assay check two.onnx --precision f8
? 2
! assay: --precision: 'f8' is not f16, bf16, int8, float16 or bfloat16
$ assay check two.onnx --precision f16 --target much
? 2
! assay: a target is a number above 0 or 'top1', not 'much'
$ assay check two.onnx --precision f16 --against two.onnx
? 2
! assay: --against is for a model that is narrow already: it takes no --precision
