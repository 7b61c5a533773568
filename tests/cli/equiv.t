# assay equiv: two ways to compute the same inside one library.
$ assay equiv
? 2
! assay: equiv needs a library: -b tf, -b torch, -b mxnet, -b ort

$ assay equiv --rules | head -3
 1  optimized     optimized as plain
 2  same_padding  SAME padding as a pad of its own
 3  lower_rank    two dimensions through three
