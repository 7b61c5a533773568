# Shell completion: the scripts ask the program itself.
$ assay --complete
check	run a model on several backends, compare, judge and localize (CRADLE)
gate	run models, fail only for what is new against a baseline
...

$ assay --complete ops
--backend	show what these backends support
--judge	judge what they give, by operator and type
--html	write what --judge finds as a page; - is standard output
--probe	ask the libraries again, whatever the cache says
--probes	cases to ask with (all of data/cases)
--attributes	list the operators' attributes and their defaults
--json	print the table as JSON
--color	...
--max-work	...
--threads	...
--verbose	...
--help	this text

$ assay --complete swap --optimizer | cut -f1
sgd
momentum
adam

$ assay --complete search --level | cut -f1
network
input
weight
both

# Names and files.
$ assay --complete fuzz --corpus | cut -f1
paper
large
<file>

$ assay --complete frobnicate

$ assay completion bash >script && bash -n script

$ cat >try <<'END'
> . ./script
> words() { COMP_LINE=; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay; echo "${COMPREPLY[*]}"; }
> words assay co
> words assay run --noi
> words assay help o
> words assay run file
> words assay backends in
> words assay backends install ort@1.31
> words assay backends install --unl
> END

$ bash try
conform completion
--noise-runs
ops

install
ort@1.31.1
--unlocked

# Backends with versions and options, lists of them, networks and files.  The second function has the words as bash cuts
# them on a terminal.
$ cat >names <<'END'
> . ./script
> words() { COMP_LINE=; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay; echo "${COMPREPLY[*]}"; }
> COMP_WORDBREAKS=$' \t\n"\'@><=;|&(:'
> typed() { COMP_LINE=$1; COMP_POINT=${#1}; COMP_WORDS=(x); COMP_CWORD=0; _assay; echo "${COMPREPLY[*]}"; }
> words assay check -b refe
> words assay check -b reference,fault:relu6_
> words assay check -b reference,fault:kernel_m
> words assay check --oracle x
> words assay run --mode r
> words assay zoo get lene
> words assay check --no-loc
> typed "assay check lene"
> typed "assay check x.onnx -b fault:kernel_m"
> typed "assay check x.onnx -b reference,fault:kernel_m"
> typed "assay backends install ort@1.31"
> touch lenet.onnx
> typed "assay check lenet"
> typed "assay check m.onnx --svg lenet."
> typed "assay fuzz --corpus la"
> touch large.yaml
> typed "assay fuzz --corpus la"
> touch -- --no-file
> typed "assay check --no-"
> END

$ bash names
reference

reference,fault:kernel_mirrored

rounded
lenet5 lenet1
--no-localize
lenet5 lenet1
kernel_mirrored
kernel_mirrored
1.31.1
lenet5 lenet1 lenet.onnx
lenet.onnx
large
large large.yaml
--no-localize --no-store --no-judge

# Libraries that are there, here an empty folder in the place of one.
$ mkdir -p more/ort/9.9.9/lib && cat >>names <<'END'
> echo --
> words assay check -b ort@9
> words assay check -b reference,ort@9.9.9:O9
> typed "assay check -b ort@9.9.9:O"
> END

$ ASSAY_BACKENDS=$PWD/more bash names | sed '1,/^--$/d'
ort@9.9.9 ort@9.9.9:O0 ort@9.9.9:O1 ort@9.9.9:O2 ort@9.9.9:O3 ort@9.9.9:O99 ort@9.9.9:saved
reference,ort@9.9.9:O99
O0 O1 O2 O3 O99

$ assay completion zsh
\#compdef assay
...

$ assay completion fish
\# fish completion for assay, written by `assay completion fish`
...

$ assay completion tcsh
? 2
! completion: 'tcsh' is not bash, zsh or fish

$ assay completion
? 2
! completion needs the name of a shell
