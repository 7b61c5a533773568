/* worker_faults.c - thousands of crashes, hangs and lies in a row, and what they leave behind: nothing.
 *
 *   bench_worker_faults [CASES]    10000 of each by default
 *
 * Faults of a list, whose results are known, then answers whose bytes were changed by chance: any result will do.
 * Between two of them a tensor goes there and back and must come unharmed.  At the end no descriptor, no mapping, no
 * child, no folder and no memory to speak of may have been gained. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "support/bench.h"
#include "worker/parent/worker.h"

static struct worker_report report;

/* ---- what is left behind ----------------------------------------------------------------------------------------- */

struct world {
	int descriptors, mappings, folders;
	double resident; /* MB */
};

static int count_entries(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static struct world look(const char *folder)
{
	struct world w = {.descriptors = count_entries("/proc/self/fd"), .folders = count_entries(folder)};
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long pages = 0;
	char line[512];

	while (f && fgets(line, sizeof line, f))
		w.mappings++;
	if (f)
		fclose(f);
	f = fopen("/proc/self/statm", "r");
	if (f && fscanf(f, "%*s %lu", &pages) == 1)
		w.resident = 1e-6 * (double)pages * (double)sysconf(_SC_PAGESIZE);
	if (f)
		fclose(f);
	return w;
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

struct fault {
	const char *operation;
	enum worker_result wanted;
	int raw;   /* of the worker that lies */
	int every; /* only in each so many rounds: what waits for a limit takes its time */
};

static const struct fault faults[] = {
	{"segfault", WORKER_CRASH, 0, 1},
	{"abort", WORKER_CRASH, 0, 1},
	{"exit", WORKER_CRASH, 0, 1},
	{"half", WORKER_CRASH, 0, 1},
	{"garbage", WORKER_PROTOCOL, 0, 1},
	{"unsupported", WORKER_UNSUPPORTED, 0, 1},
	{"rejected", WORKER_REJECTED, 0, 1},
	{"flood-abort", WORKER_CRASH, 0, 20},
	{"hang", WORKER_HANG, 0, 50},
	{"late", WORKER_HANG, 0, 50},
	{"orphan", WORKER_CRASH, 0, 20},
	{"allocate", WORKER_OOM, 0, 50},
	{"id", WORKER_PROTOCOL, 1, 1},
	{"status", WORKER_PROTOCOL, 1, 1},
	{"offset-overflow", WORKER_PROTOCOL, 1, 1},
	{"dims-huge", WORKER_PROTOCOL, 1, 1},
	{"grown", WORKER_OK, 1, 1},
	{"cut", WORKER_PROTOCOL, 1, 1},
	{"deep", WORKER_PROTOCOL, 1, 1},
	{"shm-too-large", WORKER_PROTOCOL, 1, 1},
};

#define N_FAULTS (sizeof faults / sizeof *faults)

static void commit(struct worker *w, const struct fault *f)
{
	struct backend_answer got = {0};
	enum worker_result r = worker_invoke(w, &(struct backend_call){.operation = f->operation}, &got, &report);

	if (r != f->wanted) {
		fprintf(stderr, "bench: %s: got %s (%s), wanted %s\n", f->operation, worker_result_name(r),
			report.message, worker_result_name(f->wanted));
		exit(1);
	}
	backend_answer_free(&got);
}

static void check_intact(struct worker *w, struct value *x)
{
	struct named_value in = {"x", x}, *out;
	uint64_t session;
	size_t n;

	if (worker_load(w, "m", 1, NULL, 0, &session, &report) ||
	    worker_run(w, session, &(struct backend_run){.in = {&in, 1}}, &out, &n, &report) ||
	    memcmp(out[0].value->tensor->data, x->tensor->data, 4 * x->tensor->count) != 0 ||
	    worker_unload(w, session, &report)) {
		fprintf(stderr, "bench: a result was harmed: %s\n", report.message);
		exit(1);
	}
	worker_values_free(out, n);
}

static struct worker *open_fault(int raw)
{
	char *args[] = {"raw", NULL};
	struct worker_spec s = {.name = "fault", .program = FAULT_WORKER, .args = raw ? args : NULL, .folder = ""};
	struct worker_limits limits = {.run_seconds = 2, .memory = (size_t)100 << 20};
	struct worker *w;
	struct err e = ERR_INIT;

	if (worker_open(&s, &limits, &w, &report, &e))
		bench_die(&e);
	return w;
}

static void round_of_faults(struct worker *const w[2], struct value *x, int round, int *cases)
{
	for (size_t i = 0; i < N_FAULTS; i++) {
		if (round % faults[i].every)
			continue;
		commit(w[faults[i].raw], &faults[i]);
		check_intact(w[0], x);
		++*cases;
	}
}

/* Each is the last that its worker says. */
static void mutated_answers(struct worker *const w[2], struct value *x, int wanted)
{
	int by[WORKER_ABSENT + 1] = {0};

	for (int i = 1; i <= wanted; i++) {
		struct backend_answer got = {0};
		char operation[32];

		snprintf(operation, sizeof operation, "mutated-%d", i);
		by[worker_invoke(w[1], &(struct backend_call){.operation = operation}, &got, &report)]++;
		backend_answer_free(&got);
		if (i % 10 == 0)
			check_intact(w[0], x);
	}
	printf("%d answers with changed bytes:", wanted);
	for (int i = 0; i <= WORKER_ABSENT; i++)
		if (by[i])
			printf(" %s %d", worker_result_name((enum worker_result)i), by[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	int wanted = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 10000, cases = 0;
	char folder[] = "/tmp/bench-worker-faults-XXXXXX";
	struct world before, after;
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new_packed(DT_FLOAT, 1, (int64_t[]){5000}, &e);
	struct value *x = t ? value_tensor(t, &e) : NULL;
	struct worker *w[2];
	double start;

	if (!x || !mkdtemp(folder) || setenv("TMPDIR", folder, 1))
		return 2;
	for (size_t i = 0; i < t->count; i++)
		((float *)t->data)[i] = (float)i;
	w[0] = open_fault(0);
	w[1] = open_fault(1);
	round_of_faults(w, x, 1, &cases); /* warms up what is only made once */
	before = look(folder);
	start = clock_now();
	for (int round = 0; cases < wanted; round++)
		round_of_faults(w, x, round, &cases);
	printf("%d faults in %.1f s\n", cases, clock_now() - start);
	mutated_answers(w, x, wanted);
	after = look(folder);
	bench_at_most("  descriptors gained", after.descriptors - before.descriptors, "", 0);
	bench_at_most("  mappings gained", after.mappings - before.mappings, "", 0);
	bench_at_most("  folders gained", after.folders - before.folders, "", 0);
	bench_at_most("  memory gained", after.resident - before.resident, "MB", 1);
	worker_close(w[0]);
	worker_close(w[1]);
	value_unref(x);
	bench_at_most("  children left", waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : 1, "", 0);
	bench_at_most("  folders left", rmdir(folder) ? 1 : 0, "", 0);
	return bench_missed;
}
