# A name that is none: what was meant is said where something is near.

$ assay chekc x
? 2
! assay: unknown verb 'chekc' (did you mean 'check'?); 'assay help' lists them

$ assay help chekc
? 2
! did you mean 'check'?

$ assay check --bakend ort x
? 2
! assay: unknown option '--bakend' (did you mean '--backend'?); see 'assay help check'

$ assay check --verbos=2 x
? 2
! did you mean '--verbose'?

$ assay backends instal
? 2
! assay: backends has no 'instal' (did you mean 'install'?); see 'assay help backends'

# Libraries by the names that everybody calls them by.
$ assay check lenet5 -b onnxruntime
? 2
! assay: unknown backend 'onnxruntime' (did you mean 'ort'?); 'assay backends' lists them

$ assay check lenet5 -b reference,PyTorch@2.4.0
? 2
! unknown backend 'PyTorch' (did you mean 'torch'?);

$ assay backends install onnxruntime
? 2
! no lock file for 'onnxruntime' (did you mean 'ort'?);

# Networks, faults, operators, rules, oracles.
$ assay check lenet -b reference
? 2
! assay: there is no file and no network 'lenet' (did you mean 'lenet5'?)

$ assay zoo get resnet
? 2
! assay: no network 'resnet' (did you mean 'resnet20'?); 'assay zoo list' shows those there are

$ assay faults pads_swaped
0 faults
? 2
! no fault has 'pads_swaped' in its name (did you mean 'pads_swapped'?)

$ assay ops Cnv
...
? 2
! no operator has 'Cnv' in its name (did you mean 'Conv'?)

$ assay check lenet5 -b reference --oracle cradel
? 2
! --oracle: 'cradel' is not rounding, cradle, audee, eagle, meta or gbft (did you mean 'cradle'?)

$ assay fuzz --oracle auddee
? 2
! (did you mean 'audee'?)

$ assay equiv -b ort --rule unpadd --no-store
? 2
! there is no rule 'unpadd' (did you mean 'unpad'?); they have numbers 1 to ..., 'assay equiv --rules' lists them

$ assay run lenet5 --mode exat
? 2
! assay: --mode: 'exat' is not exact, rounded or noisy (did you mean 'exact'?)

$ assay fuzz --search randm --models 1
? 2
! --search: 'randm' is not mcts, random, filled, paper or paper-random (did you mean 'random'?)

$ assay search lenet5 --level input,netwrok
? 2
! assay: --level: 'netwrok' is not network, input, weight or both (did you mean 'network'?)

$ assay findings --verdict wrng
? 2
! (did you mean 'wrong'?)

$ assay findings --method fuz
? 2
! assay: --method: 'fuz' is not check, search, equiv, swap, fuzz or gate (did you mean 'fuzz'?)

$ assay check lenet5 --precision f61
? 2
! (did you mean 'f16'?)

$ assay swap lenet5 --optimizer admm
? 2
! assay: --optimizer: 'admm' is not sgd, momentum or adam (did you mean 'adam'?)

$ assay fuzz --corpus lrge --models 1
? 2
! assay: --corpus: there is no file 'lrge' (did you mean 'large'?)

$ assay completion bsh
? 2
! assay: completion: 'bsh' is not bash, zsh or fish (did you mean 'bash'?)

$ assay check lenet5 -b ort:O9
? 2
! assay: backend 'ort' has no option set 'O9' (did you mean 'O99'?); there are O0, ...

# A model in the same folder.
$ mkdir sub && touch linear.onnx m.onnx sub/other.onnx linear.npz

$ assay check m.onx -b reference
? 2
! assay: there is no file and no network 'm.onx' (did you mean 'm.onnx'?)

$ assay check linar.onnx -b reference
? 2
! assay: there is no file and no network 'linar.onnx' (did you mean 'linear.onnx'?)

$ assay run linear.onx -b reference --random
? 2
! (did you mean 'linear.onnx'?)

$ assay check sub/othr.onnx -b reference
? 2
! assay: there is no file and no network 'sub/othr.onnx' (did you mean 'other.onnx'?)

# Of a network and a file the one that is nearer.
$ cp m.onnx resnet20.onnx && assay check resnet20.onx -b reference
? 2
! (did you mean 'resnet20.onnx'?)

# An ending that is the same makes no two names near; a file that is no model is none.
$ assay check a.onnx -b reference
? 2
! cannot open 'a.onnx': No such file or directory

$ touch words.csv && assay check wrds.csv -b reference
? 2
! cannot open 'wrds.csv': No such file or directory

# Nothing is near.
$ assay check nothing-of-the-kind
? 2
! cannot open 'nothing-of-the-kind'
