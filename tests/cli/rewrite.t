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
$ M=$SRC/tests/fixtures/linear.onnx; assay check $M -b "rewrite:exec=cp" --no-store | grep -c '  agree'
1
$ M=$SRC/tests/fixtures/linear.onnx; assay check $M -b "rewrite:exec=python3 $PWD/lose.py" --no-store
? 1
...
    rejected: wrote a file that is not a model: model: malformed or cut off in the middle of a
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
