# assay ops: the table of operators.
$ assay ops MatMulInt
domain      operator                     versions               reference gradient noise
ai.onnx     MatMulInteger                10                     yes       no       none
1 operators, 0 with a gradient; opsets up to ...

$ assay ops lstm | grep -c '^ai.onnx  *LSTM .* yes  *yes '
1

# The bar that the project set itself.
$ assay ops --json | python3 -c '
> import json, sys
> d = json.load(sys.stdin)
> ops = {o["name"]: o for o in d["operators"]}
> print(sorted(ops["Conv"]))
> print(ops["Conv"]["versions"], ops["Conv"]["noise"], ops["If"]["control"], ops["RandomNormal"]["random"])
> print(sum(o["gradient"] for o in ops.values()) >= 90)'
['control', 'domain', 'fast_noise', 'gradient', 'name', 'noise', 'random', 'reference', 'ulps', 'versions']
[1, 11, 22] scale True True
True

$ assay ops frobnicate
? 2
...
! no operator has 'frobnicate' in its name
