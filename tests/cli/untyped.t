# What stands in data is never started: no program, no local build, no file that a worker would write.
$ printf 'echo started >"%s/ran"\n' "$PWD" >evil.sh
$ mkdir bundle && cp "$SRC/tests/fixtures/linear.onnx" bundle/model.onnx && cp "$SRC/tests/fixtures/x.npz" bundle/inputs.npz
$ cat >tell.py <<'X'
> import json, sys
> json.dump({"backend": sys.argv[1], "version": "", "verdict": "wrong", "seed": "0"}, open("bundle/finding.json", "w"))
> X
$ cat >set.py <<'X'
> import sqlite3, sys
> db = sqlite3.connect(sys.argv[1])
> db.execute(sys.argv[2], sys.argv[3:])
> db.commit()
> X

# ---- finding.json, by every verb that takes a folder
$ python3 tell.py "exec:sh $PWD/evil.sh"
$ assay replay bundle
? 2
! assay: bundle: backend 'exec:sh ...evil.sh' names a program or a file and was not typed: it is started when -b says so
$ assay reduce bundle -o out
? 2
! names a program or a file and was not typed
$ assay bisect bundle --installed
? 2
! names a program or a file and was not typed
$ sh -c 'test ! -e ran && test ! -e out && echo nothing was run'
nothing was run

# A build, an option that has a worker write a file, a version that would be either.
$ for b in "ort=$PWD" "ort:save=$PWD/ran" "ort:O0+threads=1+save=$PWD/ran" "torch:record=/tmp/x+jit" "exec:"; do
>   python3 tell.py "$b"; assay replay bundle 2>&1 | grep -c "was not typed"; done
1
1
1
1
1
$ python3 -c '
> import json
> json.dump({"backend": "ort", "version": "1=/tmp:save=/tmp/x"}, open("bundle/finding.json", "w"))'; assay replay bundle
? 2
! was not typed

# A library that is installed, with its options, is what data may say; a node's name is no file.
$ python3 tell.py fault:matmul_tail@/none/of/these; assay replay bundle 2>&1 | head -1
bundle on fault:matmul_tail@/none/of/these (...): ...

# Typed, it is started.
$ python3 tell.py "exec:sh $PWD/evil.sh"
$ ASSAY_WORKER_WRITABLE="$PWD" assay replay bundle -b "exec:sh $PWD/evil.sh" >/dev/null 2>&1; cat ran; rm ran
started

# ---- a row of a store, and one that was merged
$ "$(dirname "$ASSAY")/tests/make_store" assay.db other
$ python3 set.py assay.db "UPDATE findings SET backend = ?" "exec:sh $PWD/evil.sh"
$ assay replay 1
? 2
! assay: 1: backend 'exec:sh ...evil.sh' names a program or a file and was not typed: it is started when -b says so
$ assay reduce 1
? 2
! was not typed
$ assay bisect 1 --installed
? 2
! was not typed
$ assay findings merge assay.db --db mine.db | tail -1
...
$ assay replay 1 --db mine.db
? 2
! was not typed
$ for verb in findings "findings show 1" "findings export 1" "findings --json" "report --html r.html"; do assay $verb --db mine.db >/dev/null || echo "$verb failed"; done
$ test ! -e ran && grep -c "which is started only when you name it" finding-1/README.md
1
$ assay replay finding-1
? 2
! was not typed
$ python3 set.py mine.db "UPDATE findings SET backend = ?" "torch=$PWD"; rm -r finding-1; assay findings export 1 --db mine.db >/dev/null
$ grep -c "which is started only when you name it" finding-1/README.md
1
$ ASSAY_WORKER_WRITABLE="$PWD" assay replay 1 --db assay.db -b "exec:sh $PWD/evil.sh" >/dev/null 2>&1; cat ran; rm ran
started

# ---- a campaign that is resumed runs what is typed
$ assay fuzz -b reference --models 3 --blocks 3 --seed 4 --db fuzz.db >/dev/null
$ python3 set.py fuzz.db "UPDATE campaigns SET done = 0, backends = ?" "exec:sh $PWD/evil.sh"
$ assay fuzz -b reference --models 3 --blocks 3 --seed 4 --db fuzz.db | grep -c reference
1
$ assay report --db fuzz.db --html page.html >/dev/null; test -e ran
? 1

# ---- a gate's baseline is compared with, not run
$ printf 'linear.onnx\texec:sh %s/evil.sh\tagree\t-\nlinear.onnx\tort=%s\tagree\t-\n' "$PWD" "$PWD" >base.tsv
$ cp bundle/model.onnx linear.onnx; assay gate linear.onnx --dim N=2 -b reference --baseline base.tsv >/dev/null; test -e ran
? 1
