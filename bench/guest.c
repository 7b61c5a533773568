/* guest.c - libassay in programs with threads: hundreds of processes in which all threads use it for the first time at
 * once.
 *
 *   bench_guest [PROCESSES]    400 by default, of 8 threads each */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "support/bench.h"
#include "support/guests.h"

#define N_THREADS 8

int main(int argc, char **argv)
{
	int processes = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 400, others = 0, crashes = 0;
	struct err e = ERR_INIT, last = ERR_INIT;
	double start = clock_now();
	struct guests g;

	bench_must(guests_open(&g, &e), &e);
	for (int i = 0; i < processes; i++) {
		int differ;
		enum guests_end end = guests_run(&g, N_THREADS, &differ, &last);

		if (end == GUESTS_FAILED)
			bench_die(&last);
		others += differ;
		crashes += end == GUESTS_CRASHED;
	}
	guests_close(&g);
	printf("%d processes of %d threads in %.1f s%s%s\n", processes, N_THREADS, clock_now() - start,
	       *last.msg ? "; the last that went wrong: " : "", last.msg);
	bench_at_most("  threads with other bits than one alone", others, "", 0);
	bench_at_most("  processes that crashed", crashes, "", 0);
	return bench_missed;
}
