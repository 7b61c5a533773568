# assay campaign --slurm, on a cluster of scripts: what a real one (tests/slurm) cannot be made to do at will.
# An array has 6 elements at most; squeue fails while the file "deaf" is there; tasks wait while "wait" is there.
$ mkdir bin cluster; cat >bin/sbatch <<'X'; cat >bin/squeue <<'X2'; cat >bin/scontrol <<'X3'; cat >bin/scancel <<'X4'; chmod +x bin/*
> #!/bin/sh
> cd "$CLUSTER" && echo >>submitted
> for word; do
>   case $word in
>   --array=*) list=${word#--array=} ;;
>   --comment=*) comment=${word#--comment=} ;;
>   esac
>   script=$word
> done
> case $list in *-*) list=$(seq ${list%-*} ${list#*-}) ;; esac
> for i in $(echo $list | tr , ' '); do
>   if [ "$i" -ge 6 ]; then
>     echo "sbatch: error: Batch job submission failed: Invalid job array specification" >&2
>     exit 1
>   fi
> done
> for i in $(echo $list | tr , ' '); do
>   job=$(mktemp queue.XXXXXX)
>   echo "$i $comment" >$job
>   echo "cd '$CLUSTER'; while [ -e wait ]; do sleep 0.1; done; SLURM_ARRAY_TASK_ID=$i sh '$script'; rm -f $job" >run.$job
>   setsid sh run.$job </dev/null >/dev/null 2>&1 &
> done
> X
> #!/bin/sh
> cd "$CLUSTER" && echo >>asked
> if [ -e deaf ]; then
>   echo >>failed
>   if [ "$(wc -l <failed)" -ge 3 ]; then rm deaf; fi
>   echo "slurm_load_jobs error: Unable to contact slurm controller" >&2
>   exit 1
> fi
> for word; do case $word in --format=*) format=${word#--format=} ;; esac; done
> cat queue.* 2>/dev/null | while read -r index comment; do
>   echo "$format" | sed "s/%K/$index/; s/%k/$comment/"
> done
> X2
> #!/bin/sh
> echo "MaxArraySize            = 6"
> X3
> #!/bin/sh
> echo "$@" >>"$CLUSTER/cancelled"
> X4
$ cat >order.yaml <<'X'
> time: 1h
> slice: 10m
> jobs: 8
> seeds: [3]
> methods:
>   - {method: fuzz, backends: ["fault:bias_dropped"], shards: 8, options: [--models=16, --blocks=3, --no-reduce]}
> X
$ cat >on <<'X'
> export CLUSTER=$PWD/cluster PATH=$PWD/bin:$PATH
> exec "$@"
> X

# More tasks than an array has elements, and a controller that does not answer for a while.
$ sh on sh -c 'touch cluster/wait; assay campaign order.yaml --slurm >out 2>err & leader=$!
> while [ "$(ls cluster/queue.* 2>/dev/null | wc -l)" -lt 8 ]; do kill -0 $leader || exit; sleep 0.1; done
> touch cluster/deaf
> while [ -e cluster/deaf ]; do kill -0 $leader || exit; sleep 0.1; done
> rm cluster/wait; wait $leader'; grep tried err; sed -E 's/^[0-9]+ s in/N s in/' out | head -1
assay: squeue failed with status 1: slurm_load_jobs error: Unable to contact slurm controller; this is tried again for ... s
N s in 1 run; tasks: 8 done, 0 failed, 0 lost, 0 to go on with
$ grep -E '^fault:' out; ls order.campaign/tasks; ls cluster | grep cancelled
? 1
fault:bias_dropped      16 ...

# kill -9 of the leader while its tasks wait: another one finds them in the queue, by their arrays, and submits none again.
$ rm -r order.campaign cluster/submitted cluster/asked; sh on sh -c 'touch cluster/wait; assay campaign order.yaml --slurm >out 2>err & leader=$!
> while [ "$(ls cluster/queue.* 2>/dev/null | wc -l)" -lt 8 ]; do kill -0 $leader || exit; sleep 0.1; done
> kill -9 $leader; wait $leader; wc -l <cluster/submitted; rm cluster/asked
> assay campaign order.yaml --slurm >out 2>err & leader=$!
> while [ "$(wc -l <cluster/asked)" -lt 6 ]; do kill -0 $leader || exit; sleep 0.1; done
> rm cluster/wait; wait $leader' 2>/dev/null; wc -l <cluster/submitted; sed -E 's/^[0-9]+ s in/N s in/' out | head -1
2
2
N s in 2 runs; tasks: 8 done, 0 failed, 0 lost, 0 to go on with
$ grep -E '^fault:' out; ls order.campaign/tasks
fault:bias_dropped      16 ...
