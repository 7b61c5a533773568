# assay ops: the table of operators.
$ assay ops MatMulInt
domain        operator                     versions               reference gradient fuzz  noise
ai.onnx       MatMulInteger                10                     yes       no       yes   none
com.microsoft MatMulIntegerToFloat         1                      yes       no       cases scale
2 operators, 0 with a gradient; opsets up to ...

# Operators of ONNX Runtime itself; a name that ai.onnx has as well.
$ assay ops QuickGelu
domain        operator                     versions               reference gradient fuzz  noise
com.microsoft QuickGelu                    1                      yes       yes      cases scale
1 operator, 1 with a gradient; opsets up to ...

# The first column is as wide as the longest domain that is shown.
$ assay ops reorder
domain              operator                     versions               reference gradient fuzz  noise
com.microsoft.nchwc ReorderInput                 1                      yes       yes      cases scale
com.microsoft.nchwc ReorderOutput                1                      yes       yes      cases scale
2 operators, 2 with a gradient; opsets up to ...

$ assay ops | grep -c ' Gelu '
2

$ assay ops lstm | grep -c '^ai.onnx  *LSTM .* yes  *yes '
1

# The bar that the project set itself.
$ assay ops --json | python3 -c '
> import json, sys
> d = json.load(sys.stdin)
> ops = {o["name"]: o for o in d["operators"] if "microsoft" not in o["domain"]}
> print(sorted(ops["Conv"]))
> print(ops["Conv"]["versions"], ops["Conv"]["noise"], ops["If"]["control"], ops["RandomNormal"]["random"])
> print([b["block"] for b in ops["Conv"]["drawn"]], ops["Conv"]["undrawn"], ops["Scaler"]["drawn"])
> print(ops["Bernoulli"]["drawn"], ops["Bernoulli"]["undrawn"])
> print(sum(o["gradient"] for o in ops.values()) >= 90)'
['control', 'domain', 'drawn', 'drawn_with', 'fast_noise', 'gradient', 'name', 'noise', 'random', 'reference', 'ulps', 'undrawn', 'versions']
[1, 11, 22] scale True True
['Conv', 'Depthwise'] None [{'block': 'Scaler', 'how': "one of the operator's cases"}]
[] each library draws its own numbers
True

$ assay ops frobnicate
? 2
...
! no operator has 'frobnicate' in its name

# ---- attributes and their defaults
$ assay ops --attributes softmaxc convinteger meanv | sed 's/  */ /g'
domain operator attribute type since default
ai.onnx MeanVarianceNormalization axes ints 9 0,2,3
ai.onnx SoftmaxCrossEntropyLoss ignore_index int 12 -
ai.onnx SoftmaxCrossEntropyLoss reduction string 12 "mean"
ai.onnx ConvInteger auto_pad string 10 "NOTSET"
ai.onnx ConvInteger dilations ints 10 1 each
ai.onnx ConvInteger group int 10 1
ai.onnx ConvInteger kernel_shape ints 10 -
ai.onnx ConvInteger pads ints 10 0 each
ai.onnx ConvInteger strides ints 10 1 each
3 operators, 9 rows

$ assay ops --attributes cast selu | sed 's/  */ /g' | grep ' [16] '
ai.onnx Selu alpha float 1 1.67320001
ai.onnx Selu alpha float 6 1.67326319
ai.onnx Selu gamma float 1 1.05069995
ai.onnx Selu gamma float 6 1.05070102
ai.onnx Selu consumed_inputs ints 1 -
ai.onnx Cast to string 1 required
ai.onnx Cast to int 6 required
...

$ assay ops --attributes --json hardsig | python3 -c '
> import json, sys
> d = json.load(sys.stdin)
> print(d["attributes"][0])
> print(d["recurrent"]["activations"]["GRU"], d["recurrent"]["functions"]["LeakyRelu"])'
{'domain': '', 'operator': 'HardSigmoid', 'attribute': 'alpha', ..., 'required': False, 'default': 0.20000000298023224}
['Sigmoid', 'Tanh'] {'alpha': 0.009999999776482582, 'beta': None}

$ assay ops --attributes -b ort
? 2
! --attributes are those of ONNX, not of a backend

# The Python workers' table is made of it: when this fails, run make defaults.
$ assay ops --attributes --json | $SRC/scripts/make-defaults | diff - $SRC/workers/python/onnx_defaults.py

# ---- backends: asked once, then known
$ printf '%s\n' '# two lines for Relu, one for another' 'Relu-14 f32[2,3]' 'Relu-14 i32[0,3]' 'BitShift-11 u16[2] u16[2] direction="LEFT"' >p.case
$ assay ops -b reference,ort --probes p.case relu
domain        operator                     reference ort
ai.onnx       LeakyRelu                    yes       ?
...
ai.onnx       Relu                         yes       yes .../8
...

$ assay ops -b ort --probes p.case bitshift
domain        operator                     ort
ai.onnx       BitShift                     no
...

$ ls .cache/assay/support
ort@...+level=O99+threads=1...

# Of each operator its own cases are asked, and no others.
$ echo 'Abs-13 f32[2]' >>p.case; assay ops -b ort --probes p.case abs >abs; assay ops -b ort --probes p.case relu >relu
$ cat .cache/assay/support/* | grep -c '"line": "Abs'
1
$ cat .cache/assay/support/* | grep -c '"line": "BitShift'
? 1
0

$ sed -i 's/"int32": "ok"/"int32": "crash"/' .cache/assay/support/*
$ assay ops -b ort --probes p.case --json relu | grep -c '"int32": "crash"'
1

$ assay ops -b ort --probes p.case --json --probe relu | grep -c '"int32": "ok"'
1

$ echo 'Relu-14 f32[2,3]' >p.case; assay ops -b ort --probes p.case --json relu | grep -c '"int32": "ok"'
1

$ assay ops -b nothing
? 2
! unknown backend 'nothing'

$ echo 'no operator' >bad.case; assay ops -b ort --probes bad.case
? 2
! ort: bad.case:1: 'no operator' does not begin with an operator

# Types are asked with a case that the library has, not with the first, which may be of a newer version.
$ printf 'CumSum-14 f32[3] i64{9}[]\nCumSum-14 f32[3] i64{0}[]\n' >first.case
$ assay ops -b fault:relu6 --probes first.case --json cumsum | grep -c '"float64": "ok"'
1

# Cases to ask with are of no use when nobody is asked.
$ assay ops --probes first.case
? 2
! --probes and --probe need -b LIST
