# assay backends: install, list, remove, with packages of this machine and no network.
$ mkdir -p data/libraries parts here && export ASSAY_DATA=$PWD/data ASSAY_BACKENDS=$PWD/here; python3 - <<'END'
> import hashlib, os, zipfile
> def pack(path, members):
>     with zipfile.ZipFile(path, "w") as z:
>         for name, text in members:
>             z.writestr(zipfile.ZipInfo(name), text)
>     data = open(path, "rb").read()
>     return f"file ../../{path} {len(data)} {hashlib.sha256(data).hexdigest()}\n"
> one = pack("parts/tiny-1.whl", [("tiny/libs/libtiny.so.1", "library one"), ("tiny/a.h", "a"), ("tiny/test/t.h", "t")])
> two = pack("parts/tiny-2.whl", [("tiny/libs/libtiny.so.2", "library two")])
> slip = pack("parts/slip.whl", [("../../../out", "x")])
> take = "  take tiny/libs/libtiny.so.* lib/libtiny.so\n"
> with open("data/libraries/tiny.lock", "w") as f:
>     f.write("# a library\ntitle A tiny library\n\nversion 2.0\n" + two + take)
>     f.write("\nversion 1.0\n" + one + "  skip tiny/test/**\n" + take + "  take tiny/*.h include/\n")
> with open("data/libraries/bad.lock", "w") as f:
>     f.write("version slip\n" + slip + "  take ** site/\n\nversion digest\n" + two[:-65] + "0" * 64 + "\n" + take)
>     f.write("\nversion gone\nfile nowhere.whl 3 " + "0" * 64 + "\n" + take)
>     f.write("\nversion none\n" + two + "  take tiny/nothing lib/\n")
>     f.write("\nversion needs\n" + two + take + "needs libassay-is-not-there.so.7 libassay-seven\n")
>     f.write("\nversion step\n" + two + take + "step frobnicate\n")
> END

$ cat >env <<'END'
> wheel=$(ls $ASSAY_DEPS/*wheels/onnxruntime-1.31.1-*_$(uname -m).whl)
> export ASSAY_DATA=$PWD/data ASSAY_BACKENDS=$PWD/here ASSAY_CACHE=$PWD/cache HOME=$PWD/home ASSAY_DEPS=$PWD/deps
> export ASSAY_RETRY_SECONDS=0
> unset XDG_DATA_HOME XDG_CACHE_HOME
> END

$ . ./env; assay backends
installed: nothing
can be installed ('assay backends install NAME[@VERSION]'; * is here):
  bad           bad, slip digest gone none needs step (...)
  tiny          A tiny library, 2.0 1.0 (0.0 MiB)
...

$ . ./env; assay backends install tiny
tiny@2.0: installed in '.../here/tiny/2.0', 0.0 MiB

# A second time there is nothing to do.
$ . ./env; assay backends install tiny tiny@1.0
tiny@2.0: is already in '.../here/tiny/2.0', 0.0 MiB
tiny@1.0: installed in '.../here/tiny/1.0', 0.0 MiB

$ cd here && find . -type f | sort && cat tiny/1.0/lib/libtiny.so tiny/1.0/include/a.h
./.lock-tiny@1.0
./.lock-tiny@2.0
./tiny/1.0/include/a.h
./tiny/1.0/lib/libtiny.so
./tiny/1.0/manifest.json
./tiny/2.0/lib/libtiny.so
./tiny/2.0/manifest.json
library onea

# Whoever installs one version keeps the others from waiting, and lets those of the same version wait.
$ . ./env; python3 - <<'END'
> import fcntl, subprocess
> def install(name):
>     return subprocess.Popen(["assay", "backends", "install", name], stdout=subprocess.PIPE, text=True)
> held = open("here/.lock-tiny@1.0", "w")
> fcntl.flock(held, fcntl.LOCK_EX)
> print(install("tiny@2.0").wait(60))
> waits = install("tiny@1.0")
> try:
>     waits.wait(1)
> except subprocess.TimeoutExpired:
>     print("waits")
> held.close()
> print(waits.wait(60))
> END
0
waits
0

$ . ./env; assay backends list
installed:
  tiny          2.0                 0.0 MiB  .../here/tiny/2.0
  tiny          1.0                 0.0 MiB  .../here/tiny/1.0
can be installed ...
  bad           ...
  tiny          A tiny library, 2.0* 1.0* (0.0 MiB)
...

# A backend for a device that is not here is told with the reason, and is no fault.
$ . ./env; test -e /dev/nvidia0 || { assay backends list | grep jax-cuda; assay backends doctor jax-cuda; } | grep -c "no GPU, there is no '/dev/nvidia0'" | grep -qx 2 || test -e /dev/nvidia0

$ . ./env; test -e /dev/nvidia0 || assay backends doctor torch-cuda --json | grep -q '"skipped"'

# So it is where the library is installed, and 'all' does not install it.
$ . ./env; mkdir -p here/torch-cuda/1.0 && cp data/libraries/tiny.lock data/libraries/torch-cuda.lock
$ . ./env; test -e /dev/nvidia0 || assay backends doctor torch-cuda@1.0 | grep -q "^torch-cuda  *skipped: .*no GPU"
$ . ./env; test -e /dev/nvidia0 || assay backends install all 2>/dev/null | grep -q "^torch-cuda: skipped: .*no GPU" && test ! -e here/torch-cuda/2.0 || test -e /dev/nvidia0
$ . ./env; test -e /dev/nvidia0 || ! assay run -b torch-cuda nothing.onnx 2>&1 | grep -v "no GPU"
$ rm -r here/torch-cuda data/libraries/torch-cuda.lock

# What takes long is installed by its name alone.
$ . ./env; { echo "apart it is slow"; grep -v "^title" data/libraries/tiny.lock; } >data/libraries/tvm.lock
> assay backends install all 2>/dev/null | grep "^tvm"; ls -d here/t*; assay backends install tvm | grep -c "^tvm@2.0: installed"
> assay backends remove tvm >/dev/null; rm data/libraries/tvm.lock
tvm: not one of 'all': it is slow
here/tiny
1

# What a library is started with is told once, whatever versions of it are here.
$ . ./env; mkdir -p here/ort/1.31.1 here/ort/1.20.1 here/openvino/2026.4.1
> assay backends | sed -n '/^started/,/^can be/p'; assay backends --json | grep -c '"options": "level=O99 threads=1 accuracy=1"'; rm -r here/ort here/openvino
started with ('-b NAME:OPTION=VALUE' changes one):
  openvino      precision=f32 threads=1, by check with precision=own
  ort           level=O99 threads=1 accuracy=1
can be installed ('assay backends install NAME[@VERSION]'; * is here):
2

$ . ./env; assay backends list --json | python3 -c '
> import json, sys
> d = json.load(sys.stdin)
> print([(b["name"], b["version"], b["path"].split("/here/")[1], b["bytes"] > 0) for b in d["installed"]])
> print([(b["name"], b["title"], [(v["version"], v["installed"]) for v in b["versions"]]) for b in d["available"]][1])'
[('tiny', '2.0', 'tiny/2.0', True), ('tiny', '1.0', 'tiny/1.0', True)]
('tiny', 'A tiny library', [('2.0', True), ('1.0', True)])

$ python3 -c '
> import json, hashlib
> m = json.load(open("here/tiny/1.0/manifest.json"))
> print(m["name"], m["version"], m["bytes"], [p["locked"] for p in m["packages"]], [f["path"] for f in m["files"]])
> print(all(hashlib.sha256(open("here/tiny/1.0/" + f["path"], "rb").read()).hexdigest() == f["sha256"] for f in m["files"]))'
tiny 1.0 12 [True] ['lib/libtiny.so', 'include/a.h']
True

# ---- a lock file that was changed replaces what is there; a folder filled by hand is left alone
$ . ./env; cp data/libraries/tiny.lock kept; sed -i 's/libtiny.so$/libother.so/' data/libraries/tiny.lock
> assay backends install tiny; ls -A here/tiny here/tiny/2.0/lib; mv kept data/libraries/tiny.lock
tiny@2.0: installed in ...
here/tiny:
1.0
2.0

here/tiny/2.0/lib:
libother.so

$ . ./env; rm here/tiny/2.0/manifest.json; assay backends install tiny
tiny@2.0: is already in '.../here/tiny/2.0', 0.0 MiB; not put there by this command: --force replaces it

# 'all' does the same, and one library that fails does not keep the others away.
$ . ./env; assay backends install all
? 2
! assay: bad: cannot unpack
tiny@2.0: is already in '.../here/tiny/2.0', 0.0 MiB; not put there by this command: --force replaces it

$ . ./env; assay backends install --force tiny && test -f here/tiny/2.0/manifest.json && ls -A here/tiny
tiny@2.0: installed in ...
1.0
2.0

$ . ./env; assay backends install --root other tiny@1.0 && ls other/tiny/1.0
tiny@1.0: installed in 'other/tiny/1.0', 0.0 MiB
include
lib
manifest.json

# ---- what cannot be installed says why, and leaves nothing behind; the other names are still installed
$ . ./env; assay backends install bad@slip
? 2
! assay: bad@slip: cannot unpack '.../slip.whl': member '../../../out' leads out of the folder it is unpacked to

$ . ./env; assay backends install bad@digest
? 2
! bad@digest: '.../tiny-2.whl' is damaged, or not the file of the lock file: SHA-256 ...

$ . ./env; assay backends install bad@gone
? 2
! bad@gone: cannot open '.../nowhere.whl': No such file or directory

$ . ./env; assay backends install bad@none
? 2
! no member fits 'tiny/nothing' of line

$ . ./env; assay backends install bad@needs
? 2
! bad@needs: it needs the shared library 'libassay-is-not-there.so.7': install the package 'libassay-seven'

$ . ./env; assay backends install bad@step tiny@1.0
? 2
tiny@1.0: is already ...
! bad@step: step 'frobnicate' of line ...: there is no such step

# With --json each name has a row, whatever became of it.
$ . ./env; assay backends install bad@none tiny@1.0 --json >rows.json
? 2
! assay: bad@none: cannot unpack ...: no member fits
$ python3 -c '
> import json
> for row in json.load(open("rows.json"))["backends"]: print(row["name"], row["status"], "reason" in row)'
bad@none failed True
tiny present False

$ find . -name out -o -name '.part*' -o -name '.old*'; ls here/bad

# ---- names
$ . ./env; assay backends install tiny@3.0
? 2
! '.../tiny.lock' has no version '3.0' (--unlocked fetches it without a digest to compare)

$ . ./env; assay backends install frobnicate
? 2
! no lock file for 'frobnicate'

$ . ./env; assay backends install
? 2
! backends install needs the name of a library

$ . ./env; assay backends install tiny@
? 2
! 'tiny@' names no version after the @

$ . ./env; assay backends frobnicate
? 2
! backends has no 'frobnicate'

$ . ./env; ASSAY_DATA=$PWD/nowhere assay backends
? 2
! ASSAY_DATA names '.../nowhere', which is not a folder

# ---- a library inside Python: of several wheels of a project one is used, or the Pythons are named
$ . ./env; cat >data/libraries/inside.lock <<'END'
> version 1
> python
> wheel inside-1-cp36-cp36m-any.whl 3145728 0000000000000000000000000000000000000000000000000000000000000000
>   take ** site/
> wheel inside-1-cp37-cp37m-any.whl 3145728 0000000000000000000000000000000000000000000000000000000000000000
>   take ** site/
> END
> assay backends install inside; status=$?; assay backends list | grep inside; rm data/libraries/inside.lock; exit $status
? 2
! no wheel of 'inside' for Python ... in '.../inside.lock', which has them for 3.6, 3.7; set ASSAY_PYTHON to one of these
  inside        inside, 1 (3.0 MiB)

# Of wheels for several machines that of this one is used; where there is none, that is said.
$ . ./env; cat >data/libraries/machines.lock <<'END'
> version 1
> wheel far_away-1-py3-none-manylinux_2_28_riscv64.whl 3145728 0000000000000000000000000000000000000000000000000000000000000000
>   take ** lib/
> END
> assay backends install machines; status=$?; assay backends list | grep machines; rm data/libraries/machines.lock; exit $status
? 2
! no wheel of 'far_away' for ... in '.../machines.lock'
  machines      machines, 1 (0.0 MiB)

$ . ./env; mkdir -p cache; cp parts/tiny-1.whl cache/far_away-1-py3-none-any.whl; cat >data/libraries/machines.lock <<END
> version 1
> wheel far_away-1-py3-none-manylinux_2_28_riscv64.whl 3145728 0000000000000000000000000000000000000000000000000000000000000000
>   take ** lib/
> wheel far_away-1-py3-none-any.whl $(wc -c <parts/tiny-1.whl) $(sha256sum parts/tiny-1.whl | cut -c1-64)
>   take **/*.so.* lib/
> END
> assay backends install --offline machines; grep -c '"wheel"' here/machines/1/manifest.json; assay backends remove machines
> rm data/libraries/machines.lock cache/far_away-1-py3-none-any.whl
machines@1: installed in '.../here/machines/1', 0.0 MiB
1
machines@1: removed '.../here/machines/1'

# Its modules are compiled for all workers to come; what does not compile is no error.
$ . ./env; python3 - <<'END'
> import hashlib, zipfile
> with zipfile.ZipFile("parts/modules.whl", "w") as z:
>     z.writestr("modules/right.py", "def where(): return where.__code__.co_filename")
>     z.writestr("modules/wrong.py", "print 1")
> data = open("parts/modules.whl", "rb").read()
> with open("data/libraries/modules.lock", "w") as f:
>     f.write(f"version 1\npython\nfile ../../parts/modules.whl {len(data)} {hashlib.sha256(data).hexdigest()}\n  take ** site/\n")
> END
> assay backends install modules; (cd here/modules/1 && find . -type f | sort)
> python3 -c 'import sys; sys.path.append("here/modules/1/site"); from modules import right; print(right.where())'
> assay backends remove modules@1; rm data/libraries/modules.lock
modules@1: installed in '.../here/modules/1', 0.0 MiB
./manifest.json
./site/modules/__pycache__/right.cpython-....pyc
./site/modules/right.py
./site/modules/wrong.py
...here/modules/1/site/modules/right.py
modules@1: removed '.../here/modules/1'

# ---- packages of registries: the clients' own words, and the way without a network
$ . ./env; cat >data/libraries/far.lock <<'END'
> version 1
> wheel far-1-py3-none-any.whl 3 0000000000000000000000000000000000000000000000000000000000000000
>   take ** site/
> version 2
> maven g.h:far:2:linux 3 0000000000000000000000000000000000000000000000000000000000000000
>   take ** site/
> END

$ . ./env; printf '#!/bin/sh\necho "$@" >>../../calls; echo cannot reach anything >&2; exit 7\n' >client; chmod +x client

$ . ./env; ASSAY_PYTHON=$PWD/client assay backends install far@1
? 2
! far@1: cannot fetch 'far-1-py3-none-any.whl': tried 4 times: '.../client' failed with status 7: cannot reach anything; put 'far-1-py3-none-any.whl' into '.../cache' by hand

$ . ./env; ASSAY_MVN=$PWD/client assay backends install far@2
? 2
! put 'far-2-linux.jar' into

$ sort -u calls; wc -l <calls
--batch-mode --quiet dependency:copy -Dartifact=g.h:far:2:jar:linux -DoutputDirectory=... -Dtransitive=false
--batch-mode --quiet dependency:copy -Dartifact=g.h:far:2:jar:linux -DoutputDirectory=... -Dtransitive=false --update-snapshots
-m pip download --quiet --no-deps --only-binary :all: ... --python-version 3.11 --platform ... far==1
8

# What a registry does not have is asked for once.
$ . ./env; printf '#!/bin/sh\necho "ERROR: No matching distribution found for far==1"; echo x >>../../once; exit 1\n' >client
> ASSAY_PYTHON=$PWD/client assay backends install far@1; status=$?; wc -l <once; exit $status
? 2
! cannot fetch 'far-1-py3-none-any.whl': '.../client' failed with status 1: ERROR: No matching distribution found
1

# A network that fails for a moment costs another attempt; a download that broke off is none.
$ . ./env; cat >client <<END
> #!/bin/sh
> echo x >>$PWD/flaky
> case \$(wc -l <$PWD/flaky) in
> 1) echo "Connection reset" >&2; exit 2 ;;
> 2) head -c 100 $PWD/parts/tiny-1.whl >far-1-py3-none-any.whl ;;
> *) cp $PWD/parts/tiny-1.whl far-1-py3-none-any.whl ;;
> esac
> END
> sum=$(sha256sum parts/tiny-1.whl | cut -c1-64); cp data/libraries/far.lock kept
> sed -i "s/^wheel.*/wheel far-1-py3-none-any.whl $(wc -c <parts/tiny-1.whl) $sum/" data/libraries/far.lock
> ASSAY_PYTHON=$PWD/client assay backends install far@1 && ls cache && wc -l <flaky
> assay backends remove far && rm cache/*.whl && mv kept data/libraries/far.lock
> printf '#!/bin/sh\necho cannot reach anything >&2; exit 7\n' >client
far@1: installed in ...
far-1-py3-none-any.whl
3
far@1: removed ...

$ . ./env; ASSAY_MVN=nowhere-mvn assay backends install far@2
? 2
! jars are fetched with Maven: install the package maven, or set ASSAY_MVN

$ . ./env; assay backends install --offline far@1
? 2
! 'far-1-py3-none-any.whl' is not in '.../cache', and --offline fetches nothing
$ . ./env; echo broken >cache/far-1-py3-none-any.whl; assay backends install --offline far@1; status=$?; rm cache/far-1-py3-none-any.whl; exit $status
? 2
! cache/far-1-py3-none-any.whl' is damaged, or not the file of the lock file: SHA-256 ...; --offline fetches no other

# What an interrupted download left is cleared away by the next one.
$ . ./env; mkdir -p cache/part-999999999 && touch cache/part-999999999.log; ASSAY_MVN=$PWD/client assay backends install far@2; ls cache
! far@2: cannot fetch

# A package that was put into the cache by hand needs no client.
$ . ./env; cp parts/tiny-1.whl cache/far-1-py3-none-any.whl; sum=$(sha256sum parts/tiny-1.whl | cut -c1-64)
> sed -i "s/^wheel.*/wheel far-1-py3-none-any.whl $(wc -c <parts/tiny-1.whl) $sum/" data/libraries/far.lock
> ASSAY_PYTHON=nowhere assay backends install far@1 && ls here/far/1/site/tiny
far@1: installed in ...
a.h
libs
test

# ---- doctor: the real ONNX Runtime from the wheel that scripts/setup fetched, as a file of this machine
$ . ./env; cat >data/libraries/ort.lock <<END
> version 1.31.1
> file $wheel $(wc -c <$wheel) $(sha256sum $wheel | cut -c1-64)
>   take onnxruntime/capi/libonnxruntime.so.* lib/libonnxruntime.so
> END
> assay backends install ort && assay backends doctor ort
ort@1.31.1: installed in ...
ort@1.31.1               ok: files, system, start, add ...× noise, conv ...× noise
workers are held by seccomp, ...subreaper...

$ . ./env; ASSAY_WORKER_CGROUP=none assay backends doctor ort | tail -1
workers are held by seccomp, ...subreaper; not here: ...cgroup, cgroup memory, cgroup pids

$ . ./env; assay backends doctor ort@1.31.1 --json | python3 -c '
> import json, sys
> got = json.load(sys.stdin)
> b, = got["backends"]
> print("seccomp" in got["guards"], "subreaper" in got["guards"])
> print(b["name"], b["version"], b["reported_version"], b["status"], b["fix"] == "")
> print([(c["check"], c["status"]) for c in b["checks"]], all(c["noise_ratio"] < 20 for c in b["checks"][3:]))'
True True
ort 1.31.1 1.31.1 ok True
[('files', 'ok'), ('system', 'ok'), ('start', 'ok'), ('add', 'ok'), ('conv', 'ok')] True

# A file that has changed is seen before anything is started.
$ . ./env; printf x >>here/ort/1.31.1/lib/libonnxruntime.so; assay backends doctor ort
? 1
ort@1.31.1               broken: files failed
  files: '.../lib/libonnxruntime.so' is not what was installed: it has changed or is damaged
  to fix it: 'assay backends install --force ort@1.31.1' puts the files in place again

# Without a manifest it is the library itself that must say what is wrong.
$ . ./env; rm here/ort/1.31.1/manifest.json; echo no library >here/ort/1.31.1/lib/libonnxruntime.so; assay backends doctor ort
? 1
ort@1.31.1               broken: files skipped, system, start failed
  files: no manifest.json: it was put there by hand
  start: ...libonnxruntime.so...
...

# tiny has no row in backends.def, so nothing can start it.
$ . ./env; assay backends doctor tiny@2.0
? 1
tiny@2.0                 broken: files, system, start failed
  start: unknown backend 'tiny' (did you mean 'tinygrad'?); 'assay backends' lists them

$ . ./env; assay backends doctor frobnicate
? 2
! 'frobnicate' is not installed

$ . ./env; ASSAY_BACKENDS=$PWD/none assay backends doctor
...
nothing is installed; 'assay backends list' shows what can be

$ . ./env; assay backends remove ort
ort@1.31.1: removed ...

# ---- remove
$ . ./env; assay backends remove tiny@1.0 && ls here/tiny
tiny@1.0: removed '.../here/tiny/1.0'
2.0

$ . ./env; assay backends remove tiny@1.0
? 2
! 'tiny@1.0' is not installed

$ . ./env; assay backends remove --json nothing
? 2
! 'nothing' is not installed

$ . ./env; assay backends remove tiny far && ls here/tiny here/far
far@1: removed ...
tiny@2.0: removed ...
...

$ . ./env; assay backends remove
? 2
! backends remove needs the name of a library
