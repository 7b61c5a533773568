# What every command line program has.
$ assay --version
assay 0.1.0

$ assay version
assay 0.1.0

$ assay help
assay tests deep-learning libraries.

usage: assay VERB [options]

verbs:
  check        run a model on several backends, compare, judge and localize (CRADLE)
...
first steps:
  assay backends install ort                     get a library
...
Exit status: 0 nothing found, 1 findings, 2 bad usage or bad input, 3 a failure of assay itself,
4 a backend was judged on nothing, 5 a lower precision explains a difference.

# Help goes to standard output, a usage error to standard error.
$ assay --help >a && assay -h >b && assay help >c && cmp a b && cmp a c

$ assay
? 2
! usage: assay VERB

$ assay help run
usage: assay run MODEL [options]

run a model once, print or save its outputs

example:
  assay run m.onnx -i x=x.npy -o y.npz

options:
  -b, --backend B            who runs it (default: reference)
...
  -h, --help                 this text

inputs:
...
'assay help run --all' describes the other options: --color, --max-work, --threads, --verbose.

$ assay help run >a && assay run --help >b && assay run -h >c && cmp a b && cmp a c

$ for v in $(assay --complete | cut -f1); do assay help $v >/dev/null || echo $v has no help; done

# Help fits a screen of 40 lines; with --all it has every option that the verb takes.
$ for v in $(assay --complete | cut -f1); do test $(assay help $v | wc -l) -le 40 || echo $v is too long; done
$ for v in $(assay --complete | cut -f1); do
>     assay help $v --all >all
>     for option in $(assay --complete $v - | grep -- '^--' | cut -f1); do grep -q -- " $option" all || echo $v: $option; done
> done
$ assay help check --all | grep -A1 "class-limit\|^verdicts:"
      --class-limit X        ...
...
verdicts:
  agree        ...
# Whoever writes a gate into a CI needs its exit status: it is in the short help.
$ assay help gate | grep -A2 "^Exit status"
Exit status: 0 green, 1 red; 2 bad usage, or a model could not be run; 3 a failure of assay itself;
4 green, but some backend was judged on nothing; 5 green, but a lower precision, or one
quantization step, explains a difference.

$ assay help gate --all | grep -c "^Exit status"
1

$ assay check --help --all >a && assay help check --all >b && cmp a b

# ---- what is wrong says so, with exit status 2
$ assay frobnicate
? 2
! assay: unknown verb 'frobnicate'; 'assay help' lists them

$ assay help frobnicate
? 2
! unknown verb 'frobnicate'

$ assay run --frobnicate m.onnx
? 2
! assay: unknown option '--frobnicate'; see 'assay help run'

$ assay run -X m.onnx
? 2
! unknown option '-X'

$ assay run m.onnx --seed
? 2
! --seed needs a value (N)

$ assay run m.onnx --seed=few
? 2
! --seed: 'few' is not a whole number from 0 on

$ assay run --json=yes m.onnx
? 2
! --json takes no value

$ assay run
? 2
! run needs one model, not 0

$ assay run a.onnx b.onnx
? 2
! run needs one model, not 2

$ assay run -b nothing m.onnx
? 2
! unknown backend 'nothing'; 'assay backends' lists them

# Output that cannot be written is no success.
$ assay ops >/dev/full
? 3
! cannot write standard output

# What a model costs is known before it is run.
$ assay run "$SRC/tests/fixtures/linear.onnx" -i "$SRC/tests/fixtures/x.npy" --max-work 1000
? 2
! node 'product' (MatMul): costs 1.1e+04 steps
...

$ assay run "$SRC/tests/fixtures/linear.onnx" -i "$SRC/tests/fixtures/x.npy" --max-work 0
? 2
! --max-work: 0 is not above 0

# Threads change no bit of what comes out.
$ assay run "$SRC/tests/fixtures/linear.onnx" -i "$SRC/tests/fixtures/x.npy" --threads 1 -o one >/dev/null && assay run "$SRC/tests/fixtures/linear.onnx" -i "$SRC/tests/fixtures/x.npy" --threads 3 -o three >/dev/null && diff -r one three && echo same
same
