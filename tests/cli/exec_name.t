# A worker of one's own that is given a name: tables say that, and commands that are to be typed the whole of it.
$ cat >mylib.py <<END
> import os, sys
> sys.path.insert(0, os.environ["SRC"] + "/workers/python")
> from assay_worker import Tensor, serve
> from example_worker import Example
> Example.KNOWN["Add"] = lambda a, b: Tensor.of(a.dtype, a.shape, [x + 2 * y for x, y in zip(a.numbers(), b.numbers())])
> serve(Example())
> END
$ cat >models.py <<END
> import os, sys
> sys.path.insert(0, os.environ["SRC"] + "/tests/fixtures")
> import make as m
> ports = [m.value("x", m.FLOAT, [2])], [m.value("y", m.FLOAT, [2])]
> for op in ("Add", "Mul"):
>     open(op + ".onnx", "wb").write(m.model([m.node("n", op, ["x", "x"], ["y"])], *ports))
> END
$ python3 models.py
$ assay check Add.onnx -b "exec:python3 mylib.py,name=mylib,version=1.2"
? 1
Add.onnx: 1 node, 1 run of 2 inputs: wrong
  backend    verdict ...
  mylib@1.2  wrong ...
...
mylib@1.2: blamed
  1. Add 'n'...
  finding 1: mylib/Add/wrong/f32.1d1,f32.1d1
repro: assay replay 1 -b 'exec:python3 mylib.py,name=mylib,version=1.2'
...
backend     given ...
mylib@1.2       1 ...

$ assay findings | sed -n 2p
 1         1  wrong ... mylib@1.2 ...

$ assay replay 1 -b "exec:python3 mylib.py,version=1.3,name=mylib" | head -1
1 on mylib@1.3 (1.3): wrong...

# a version alone leaves the command
$ assay replay 1 -b "exec:python3 mylib.py,version=1.3" | head -1
1 on exec:python3 mylib.py,version=1.3 (1.3): wrong...

$ assay check Mul.onnx -b "exec:python3 mylib.py,name=mylib" --no-store | grep -c exec:
? 1
0

$ assay run Mul.onnx -b "exec:python3 mylib.py,name=mylib"
? 2
! assay: mylib: no operator Mul
...

$ assay ops Add -b "exec:python3 mylib.py,name=mylib,version=1.2" | head -1
domain        operator                     mylib@1.2

$ assay findings export 1 -o bundle
finding 1: written to 'bundle'; see its README.md

$ sed -n '/^## To see it/,$p' bundle/README.md | tail -n +3
`sh repro.sh -b NAME` shows it with assay.  The library was a program or a file of the machine that the finding was
made on, which is started only when you name it:

```
sh repro.sh -b 'exec:python3 mylib.py,name=mylib,version=1.2'
```

$ sh bundle/repro.sh
? 2
! names a program or a file and was not typed

$ sh bundle/repro.sh -b 'exec:python3 mylib.py,name=mylib,version=1.2' | tail -1
? 0
the finding shows
