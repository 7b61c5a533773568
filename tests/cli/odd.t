# Command lines that nobody means: each ends with a message that says what is wrong, and none with a death.
$ : >empty.yaml; : >empty.onnx; : >empty.npy; echo "# a comment alone" >comment.yaml; mkdir folder

# ---- empty files
$ assay campaign empty.yaml
? 2
! assay: cannot read a campaign from 'empty.yaml': there is nothing in it

$ assay fuzz --corpus comment.yaml --models 1
? 2
! assay: cannot read blocks from 'comment.yaml': there is nothing in it

$ assay search lenet5 --layers empty.yaml --cases 1 --no-store
? 2
! from 'empty.yaml': there is nothing in it

$ assay gate $SRC/tests/fixtures/linear.onnx -b reference --baseline empty.yaml
? 2
! assay: 'empty.yaml' is empty

# ---- numbers: 0 stands for a default inside, and is not to be typed; too large is not malformed
$ assay check $SRC/tests/fixtures/linear.onnx -b reference --random 0
? 2
! assay: --random: '0' is not a whole number from 1 on

$ assay check $SRC/tests/fixtures/linear.onnx -b reference --random 99999999999999999999
? 2
! assay: --random: '99999999999999999999' is too large

$ assay check $SRC/tests/fixtures/linear.onnx -b reference --timeout 0
? 2
! assay: --timeout: '0' is not a number above 0

$ assay fuzz -b reference --models 0
? 2
! assay: --models: '0' is not a whole number from 1 on

$ assay search lenet5 -b reference --cases 0
? 2
! assay: --cases: '0' is not a whole number from 1 on

$ assay equiv -b ort --share 0
? 2
! assay: --share: '0' is not a number above 0

$ assay equiv -b ort --share 200
? 2
! assay: --share takes a percentage up to 100

$ assay run $SRC/tests/fixtures/linear.onnx --random 3
? 2
! assay: --random: '3' is not a range LO:HI

$ assay run $SRC/tests/fixtures/linear.onnx --random 5:1
? 2
! assay: --random: '5:1' is not a range LO:HI

$ assay zoo data lenet5 --held-out 99999999 -o data
? 2
! assay: --held-out: 99999999 is not below the 5000 items that there are

# ---- backends: an option that a library does not have is neither ignored nor a finding against it
$ assay check $SRC/tests/fixtures/linear.onnx -b ort:level=O7
? 2
! assay: backend 'ort', option level: 'O7' is not one of O99, O0, O1, O2

$ assay check $SRC/tests/fixtures/linear.onnx -b ort:levle=O0
? 2
! assay: backend 'ort' has no option 'levle'; it has level, threads, accuracy, saved, disable, only, provider, save

$ assay check $SRC/tests/fixtures/linear.onnx -b ort:threads=many
? 2
! assay: backend 'ort', option threads: 'many' is not a whole number from 0 to 1024

$ assay check $SRC/tests/fixtures/linear.onnx -b reference,,fault:relu6
? 2
! assay: a backend without a name; 'assay backends' lists them

$ assay check $SRC/tests/fixtures/linear.onnx -b reference -b fault:relu6
? 2
! assay: --backend is there twice: write one list, with commas between

$ assay run $SRC/tests/fixtures/linear.onnx -b reference,ort
? 2
! assay: 'reference,ort' is a list: this takes one backend

$ assay equiv -b ort --api Abs --without fast
? 2
! assay: --without: 'fast' is not an option set of 'ort'

$ assay equiv -b ort --api Abs --inputs 2 --python /nothing --no-store
? 2
! assay: --python: '/nothing' is not a Python with numpy, onnx and onnxruntime ...

# ---- files and folders
$ assay run $SRC/tests/fixtures/linear.onnx -i nothing
? 2
! assay: --input: cannot open 'nothing': No such file or directory

$ assay conform $SRC/tests/fixtures/conform --filter nothing
? 2
! assay: no test case below '...conform' has 'nothing' in its path

$ assay report --html - --junit -
? 2
! assay: only one of --html, --junit and --sarif can be standard output (-)

$ assay report
? 2
! assay: there is no store of findings 'assay.db': No such file or directory; check, search, equiv, swap and fuzz make one

$ assay zoo get lenet5 --opset 3
? 2
! assay: network 'lenet5' can be built in opset 7 to 14, not 3

# ---- verbs
$ assay --verison
? 2
! assay: '--verison' is not a verb (did you mean '--version'?); options stand behind the verb

$ assay --json check
? 2
! assay: '--json' is not a verb; options stand behind the verb, as in 'assay check m.onnx -b ort'

$ assay lint
? 2
! assay: lint needs at least one model; see 'assay help lint'

$ assay worker-test
? 2
! assay: worker-test needs a command; see 'assay help worker-test'

$ assay worker-test exec:/nothing
? 2
! assay: backend 'exec:/nothing': cannot find program '/nothing'
