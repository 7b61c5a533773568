# Rewriters: what a program makes of a model is run by the reference.
$ cat >lose.py <<END
> import sys
> open(sys.argv[2], "wb").write(open(sys.argv[1], "rb").read()[:-20])
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
$ M=$SRC/tests/fixtures/linear.onnx; assay check $M -b "rewrite:exec=python3 $PWD/refuse.py" --no-store
? 1
...
    rejected: no such thing
...
$ assay check $SRC/tests/fixtures/linear.onnx -b "rewrite:exec=" --no-store
? 2
! needs a command
