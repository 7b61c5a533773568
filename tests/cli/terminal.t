# What a terminal gets besides: a bar that says what is going on, and colours.
$ cat >on.py <<'END'
> import os, pty, sys
> os.environ["TERM"] = os.environ.get("AS", "xterm")
> sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
> END

# The work behind a bar is told: what is judged, localized, verified, confirmed and reduced.
$ python3 on.py assay check lenet5 -b reference,fault:relu6 --db a.db | tr '\r' '\n' >out
$ grep -ao 'judging 1/2, [a-z:0-9]*' out | sort -u
judging 1/2, reference
$ grep -aoE 'localizing node [0-9]+/13|localizing, backend 2/2|confirming|reducing, try' out | sed 's/[0-9]*\/13/N\/13/' | sort -u
confirming
localizing node N/13
localizing, backend 2/2
reducing, try

# Localizing ends when its time is over; the finding is recorded all the same, as large as it is.
$ assay check lenet5 -b reference,fault:relu6 --db late.db --localize-time 0.000001s | grep "localization stopped\|finding "
? 0
  localization stopped early: --localize-time is over
  finding 1: fault:relu6/...
$ assay findings show 1 --db late.db --json | grep '"nodes"'
 "nodes": 13,
$ assay check lenet5 -b reference,fault:relu6 --no-store --localize-time 1us
? 2
! --localize-time: '1us' is not a time such as 90s, 5m or 1h
$ for time in 0.000001s 1h; do assay check lenet5 -b reference,fault:relu6 --no-store --localize-time $time --json | grep -c localize_out_of_time; done
? 1
1
0

# Nobody else gets any of it.
$ assay check lenet5 -b reference,fault:relu6 --no-store >out 2>err; grep -c "localizing" out err
? 1
out:0
err:0

# A terminal that cannot move its cursor gets plain lines, as a file does.
$ esc=$(printf '\033'); AS=dumb python3 on.py assay check lenet5 -b reference,fault:relu6 --no-store >out; grep -c "$esc" out; grep -c wrong out
? 0
0
2
$ esc=$(printf '\033'); AS=dumb python3 on.py assay fuzz -b reference --models 3 --no-store | grep -c "$esc"
? 1
0

# Colours of verdicts: on a terminal, unless somebody does not want them.
$ esc=$(printf '\033'); python3 on.py assay check lenet5 -b reference,fault:relu6 --no-store | grep -c "$esc\[31mwrong *$esc\[0m"
2
$ esc=$(printf '\033'); NO_COLOR=1 python3 on.py assay check lenet5 -b reference,fault:relu6 --no-store | grep -c "$esc\[3[123]m"
? 1
0
$ esc=$(printf '\033'); python3 on.py assay check lenet5 -b reference,fault:relu6 --no-store --color never | grep -c "$esc\[3[123]m"
? 1
0
$ esc=$(printf '\033'); assay check lenet5 -b reference,fault:relu6 --no-store | grep -c "$esc"
? 1
0
$ esc=$(printf '\033'); assay findings --db a.db --color always | grep -c "$esc\[31mwrong$esc\[0m"
1
$ assay findings --color sometimes
? 2
! --color: 'sometimes' is not auto, always or never

# Words that not everybody knows are told where they stand, or by --help.
$ assay check lenet5 -b reference,fault:relu6 --no-store --map >out; grep -o "R_L (growth of the difference)" out | sort -u; grep -c "of R_L, by how much their difference δ" out
R_L (growth of the difference)
1
$ assay help check --all | grep -A99 "^verdicts:" | grep "vacuous\|accepted"
  vacuous      agrees, but that proves little: no elements, equal ones, or rounding alone decides them
  accepted     a model that ONNX forbids was run
$ for verb in gate swap search fuzz findings replay; do assay help $verb | grep -c "assay explain verdicts"; done | sort -u
1
$ assay fuzz -b reference --models 2 --no-store | grep -c "operator types (OTC)\|not loaded (MCF)"
2

# What is said once is not said again.
$ cp $SRC/tests/fixtures/broken/bad-attribute.onnx . ; assay search bad-attribute.onnx -b reference,ort
? 2
! assay: bad-attribute.onnx: node

# Verbs that run for long have a screen: rates, findings, the last new one, how stable they are, and each library.
$ esc=$(printf '\033'); python3 on.py assay search lenet5 -b reference,fault:relu6 --level network --cases 6 --db s.db | tr '\r' '\n' | sed "s/$esc\[[0-9]*[AJ]//g" >out
$ grep -aoE '^(cases     [0-9]+ in [0-9]+ s, [0-9.]+ a second; model 1 of 1, lenet5, network level|coverage  [0-9]+ kinds? of operators where NaN begins|findings  failures [0-9]+, confirmed [0-9]+, stored [0-9]+, new signatures [0-9]+|last new  none yet|last new  fault:relu6/Relu/wrong|stable    nothing was repeated yet|stable    100.0 % of [0-9]+ repeats agree|fault:relu6 given [0-9]+, ran [0-9]+, judged [0-9]+|reference   given)' out | sed 's/[0-9][0-9.]*\( \|,\|$\)/N\1/g; s/ kind of/ kinds of/' | LC_ALL=C sort -u
cases     N in N s, N a second; model N of N, lenetN, network level
coverage  N kinds of operators where NaN begins
fault:reluN given N, ran N, judged N
findings  failures N, confirmed N, stored N, new signatures N
last new  fault:relu6/Relu/wrong
last new  none yet
reference   given
stable    N % of N repeats agree
stable    nothing was repeated yet
$ grep -aoE '\] (running case|judging case|confirming|localizing node|reducing, try)' out | sort -u
] confirming
] judging case
] localizing node
] reducing, try
] running case
$ python3 on.py assay fuzz -b reference,fault:relu6 --models 150 --seed 3 --share 0 --no-store >out; grep -aoE '^.*(cases     [0-9]+ in|stable    |fault:relu6 given [0-9]+, ran)' out | sed 's/[0-9][0-9]*/N/g; s/  *$//; s/.*cases /cases /' | sort -u
cases     N in
fault:reluN given N, ran
stable
$ python3 on.py assay equiv -b ort --rule 16 --api 'Rel*' --inputs 4 --plant --no-store >out; grep -aoE '^.*(pairs     [0-9]+ in|coverage  [0-9]+ of [0-9]+ operations|findings  [0-9]|last new  |stable    |ort       given [0-9]+, ran)' out | sed 's/[0-9][0-9]*/N/g; s/  *$//; s/.*pairs /pairs /' | sort -u
coverage  N of N operations
findings  N
last new
ort       given N, ran
pairs     N in
stable

# No line is wider than the terminal: the screen would not be taken away as it was drawn.  And none at -v 0, or elsewhere.
$ cat >narrow.py <<'END'
> import fcntl, os, pty, struct, sys, termios
> pid, fd = pty.fork()
> if not pid:
>     os.environ["TERM"] = "xterm"
>     fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("4H", 24, 40, 0, 0))
>     os.execvp(sys.argv[1], sys.argv[1:])
> text = b""
> try:
>     while more := os.read(fd, 65536):
>         text += more
> except OSError:
>     pass
> lines = [line for line in text.decode().split("\r\n") if "given" in line or "cases " in line or "stable" in line]
> print(max(len(line.split("\033[J")[-1]) for line in lines))
> END
$ python3 narrow.py sh -c 'assay search lenet5 -b reference,fault:relu6 --level network --cases 2 --no-store >out'
39
$ python3 on.py assay search lenet5 -b reference,fault:relu6 --level network --cases 2 --no-store -v 0 | grep -c "stable  "
? 1
0
$ assay search lenet5 -b reference,fault:relu6 --level network --cases 2 --no-store 2>&1 | grep -c "stable  "
? 1
0

# A narrow terminal: sentences go on in the next line; elsewhere they are one line each, for programs.
$ COLUMNS=60 assay check lenet5 -b reference,fault:relu6 --no-store | sed '/^backend/,$d' | awk 'length($0) > 60' | grep -v "^  backend\|^  reference  \|^  fault:relu6  "
? 1
$ COLUMNS=60 assay fuzz -b reference --models 2 --no-store | sed -n '/^coverage/,/^findings/p' | awk 'length($0) > 60'
$ assay fuzz -b reference --models 2 --no-store | grep -c "^coverage.*(SPC)"
1

# A campaign: how far it is, what each library was judged on, a line for each method on a backend, as many as fit, and
# how many more there are.  It is interrupted when the first task has told its coverage, however long that takes.
$ cat >until.py <<'END'
> import os, pty, sys
> seen = b""
> def read(terminal):
>     global seen
>     data = os.read(terminal, 4096)
>     if sys.argv[1].encode() in seen + data and sys.argv[1].encode() not in seen:
>         os.write(terminal, b"\x03")
>     seen += data
>     return data
> os.environ["TERM"] = "xterm"
> sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[2:], read)))
> END
$ (printf 'time: 900s\njobs: 1\nmethods:\n'; for i in $(seq 23); do echo '  - {method: fuzz, backends: ["fault:relu6"], options: [--models=2, --no-reduce]}'; done) >many.yaml
$ esc=$(printf '\033'); python3 until.py '% OLC' assay campaign many.yaml | tr '\r' '\n' | sed "s/$esc\[[0-9]*[AJ]//g" >out
$ grep -aoE '^time +[0-9]+ of 900 s; tasks: [01] running, [0-9]+ over|^cases +[0-9]+ in [0-9]+ s|a second, by tasks that are over|^findings  [0-9]+ in [0-9]+ clusters|^last new  (none yet|fuzz)|^fault:relu6 +given [0-9]+, ran [0-9]+, judged [0-9]+|^stable    (nothing was|[0-9.]+ % of [0-9]+) repeat|^method and backend +share +tasks +seconds +findings +clusters +best coverage +stable|^fuzz fault:relu6 +4 %( +[0-9]+){4} +[0-9.]+ % OLC|^and 3 more' out | sed 's/[0-9][0-9]*/N/g; s/  */ /g' | grep -v 'last new|stable [N.]' -E | LC_ALL=C sort -u
a second, by tasks that are over
and N more
cases N in N s
fault:reluN given N, ran N, judged N
findings N in N clusters
fuzz fault:reluN N % N N N N N.N % OLC
method and backend share tasks seconds findings clusters best coverage stable
stable nothing was repeat
time N of N s; tasks: N running, N over
$ grep -c '^last new  [nf]' out | grep -c '^[1-9]'
1
$ grep -v '^$' out | sed -n '/^time/,/^and/p' | head -27 | grep -c "^fuzz"
20
