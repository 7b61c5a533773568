# assay fuzz --jobs N: each process makes and runs its share of the cases, and tells the others what they cover.

# The same seed gives the same cases, byte for byte, for any number of jobs, over several rounds of the shards.
$ for n in 1 2 3 8 64; do assay fuzz -b reference --models 400 --blocks 3 --seed 9 --no-store -o jobs$n --keep-all --jobs $n >out$n; done
$ ls jobs1/models | wc -l
400
$ for n in 2 3 8 64; do diff -r jobs1 jobs$n && echo the same; done
the same
the same
the same
the same

# So is what they cover together, and what came of them.
$ for n in 2 3 8 64; do tail -n +2 out1 >one; tail -n +2 out$n | diff one - && echo the same; done
the same
the same
the same
the same

# From another run's corpus, too, which all shards know.
$ for n in 1 5; do assay fuzz -b reference --models 200 --blocks 3 --seed 2 --no-store -i jobs1 -o more$n --keep-all --jobs $n | tail -n +2 >more$n.out; done
$ diff -r more1 more5 && diff more1.out more5.out && echo the same
the same

# A process that is killed ends the campaign: the others would wait for its cases.  The same command goes on, and what was
# judged adds up to all cases.
$ assay fuzz -b reference --models 8000 --blocks 3 --seed 5 --jobs 2 --db killed.db >out 2>err & boss=$!; until grep -q ' .* ' /proc/$boss/task/$boss/children; do sleep 0.02; done; kill -9 $(cut -d' ' -f2 /proc/$boss/task/$boss/children); wait $boss; echo $?; cat err
3
assay: a process of the campaign ended by itself
$ assay fuzz -b reference --models 8000 --blocks 3 --seed 5 --jobs 2 --db killed.db | tail -n +5 >again
$ assay fuzz -b reference --models 8000 --blocks 3 --seed 5 --no-store | tail -n +5 | diff again - && grep -o 'reference *8000' again
reference    8000
