# Rewriters: what a program makes of a model is run by the reference.
$ cat >lose.py <<END
> import sys
> open(sys.argv[2], "wb").write(open(sys.argv[1], "rb").read()[:-20])
> END
$ cat >many.py <<END
> import sys
> model = open(sys.argv[1], "rb").read()
> opsets = b"".join(b"\x42\x08\x0a\x04%04d\x10\x01" % i for i in range(5000))
> open(sys.argv[2], "wb").write(model + opsets)
> END
$ cat >refuse.py <<END
> print("no such thing")
> raise SystemExit(3)
> END
$ M=$SRC/tests/fixtures/linear.onnx; assay check $M -b "rewrite:exec=cp" --no-store | grep -c '^  rewrite:exec=cp  agree'
1
$ M=$SRC/tests/fixtures/linear.onnx; assay check $M -b "rewrite:exec=python3 $PWD/lose.py" --no-store
? 1
...
    rejected: wrote a file that is not a model: model: damaged or cut off (in a ModelProto), or...
...
# a limit of the reference is no fault of the rewriter
$ M=$SRC/tests/fixtures/linear.onnx; assay check $M -b "rewrite:exec=python3 $PWD/many.py" --no-store
? 4
...
    unsupported: the model that it wrote cannot be run here: model: 5001 opset imports, more than
...
$ M=$SRC/tests/fixtures/linear.onnx; assay check $M -b "rewrite:exec=python3 $PWD/refuse.py" --no-store
? 1
...
    rejected: no such thing
...
$ assay check $SRC/tests/fixtures/linear.onnx -b "rewrite:exec=" --no-store
? 2
! needs a command

# Nodes out of order, which ONNX forbids and the reference takes: in the graph, in a graph of a node, between the two
$ ln -s $SRC/tests/fixtures/sloppy s; M=$SRC/tests/fixtures/linear.onnx; for i in order order_inside order_around; do printf "import shutil, sys\nshutil.copy('$PWD/s/$i.onnx', sys.argv[2])\n" >$i.py; assay check $M -b "rewrite:exec=python3 $PWD/$i.py" --no-store | grep -A1 rejected:; done
    rejected: wrote a file that is not a model: node 'late' (Neg) reads 't', which a later node
    makes
    rejected: wrote a file that is not a model: node 'late' (Neg) reads 't', which a later node
    makes
    rejected: wrote a file that is not a model: node 'if' (If) reads 't', which a later node makes
...

# a rewriter that got them so may leave them so
$ assay check s/order.onnx s/order_inside.onnx s/order_around.onnx -b rewrite:exec=cp --no-store | grep -c '^  rewrite:exec=cp  agree'
3
