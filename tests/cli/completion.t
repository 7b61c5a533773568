# Shell completion: the scripts ask the program itself.
$ assay --complete
run	run a model once, print or save its outputs
conform	run ONNX backend test trees and compare with their expected outputs
...

$ assay --complete ops
--backend	show what these backends support
--judge	judge what they give, by operator and type
--probe	ask the libraries again, whatever the cache says
--probes	cases to ask with (all of data/cases)
--attributes	list the operators' attributes and their defaults
--json	print the table as JSON
--color	...
--max-work	...
--threads	...
--verbose	...
--help	this text

$ assay --complete frobnicate

$ assay completion bash >script && bash -n script

$ cat >try <<'END'
> . ./script
> words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay; echo "${COMPREPLY[*]}"; }
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

$ assay completion zsh
\#compdef assay
...

$ assay completion fish
? 2
! no completion for 'fish'; there is bash and zsh

$ assay completion
? 2
! completion needs the name of a shell
