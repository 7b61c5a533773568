# assay fuzz --gradients: what runs forward as it should is run backwards as well.  The reference has right gradients.
$ assay fuzz -b reference --gradients --models 12 --blocks 5 --seed 4 --no-store
12 models in ...
coverage: OLC ...
status: not loaded (MCF) 0, not run (IF) 0, wrong (DCF) 0, right (DCP) 12; unsupported 0, flaky 0, ours 0
findings: 0, stored 0, new 0; ...
...

# A bias whose gradient is half of what it should be: nothing shows without the option …
$ assay fuzz -b fault:bias_grad_half --models 12 --blocks 8 --seed 1 --db plain.db | grep -c wrong-gradient
? 1
0

# … and with it the node is kept, alone, and shows again.
$ assay fuzz -b fault:bias_grad_half -g --models 12 --blocks 8 --seed 1 --db g.db | grep -A1 "^finding "
? 0
finding 1: fault:bias_grad_half/.../wrong-gradient/..., 1 node
repro: assay replay 1 --db g.db
...
$ assay replay 1 --db g.db
? 1
...
  gradient of ...
the finding shows

# Findings are the same for any number of jobs.
$ assay fuzz -b fault:bias_grad_half -g --models 12 --blocks 8 --seed 1 --no-store | grep "^findings" >one
$ assay fuzz -b fault:bias_grad_half -g --models 12 --blocks 8 --seed 1 --no-store --jobs 3 | grep "^findings" >three
$ sed 's/;.*//' one >1; sed 's/;.*//' three | diff 1 - && echo the same
the same
