/* guests.c - see guests.h. */
#include "support/guests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/child.h"
#include "tensor/stats.h"
#include "zoo/zoo.h"

static const char *const networks[GUESTS_MODELS] = {"lenet5", "transformer", "gru"};

static int save_input(const struct wire *w, const char *path, struct err *e)
{
	struct tensor *t = tensor_new(w->type.dtype, w->type.rank, w->type.dims, e);
	struct rng rng;
	int rc;

	if (!t)
		return e->code;
	rng_init(&rng, 5);
	rc = tensor_fill_random(t, &rng, 0, 1, e);
	if (!rc)
		rc = npy_save(t, path, e);
	tensor_unref(t);
	return rc;
}

static int make_files(struct guests *g, int i, struct err *e)
{
	struct model *m;
	int rc = zoo_build(zoo_find(networks[i]), 1, 3, NULL, &m, e);

	if (rc)
		return rc;
	rc = place_path(g->file[2 * i], e, "%s/%s.onnx", g->folder, networks[i]);
	if (!rc)
		rc = place_path(g->file[2 * i + 1], e, "%s/%s.npy", g->folder, networks[i]);
	if (!rc)
		rc = model_save(m, g->file[2 * i], e);
	if (!rc)
		rc = save_input(m->graph->inputs.at[0], g->file[2 * i + 1], e);
	model_free(m);
	return rc;
}

/* Runs the program; what it printed is in out. */
static int run_program(const struct guests *g, int threads, struct buf *out, int *status, struct err *e)
{
	const char *argv[3 + 2 * GUESTS_MODELS] = {GUEST_PROGRAM};
	char number[16], log[PLACE_PATH];
	struct child c = {.argv = argv, .folder = g->folder, .log = log, .seconds = 600};
	int rc = place_path(log, e, "%s/log", g->folder);

	snprintf(number, sizeof number, "%d", threads);
	argv[1] = number;
	for (int i = 0; i < 2 * GUESTS_MODELS; i++)
		argv[2 + i] = g->file[i];
	if (!rc)
		rc = child_run(&c, status, e);
	if (!rc)
		rc = buf_read_file(out, log, 1 << 20, e);
	return rc;
}

enum guests_end guests_run(struct guests *g, int threads, int *differ, struct err *e)
{
	int lines = 0, others = 0, status = 0, rc;
	struct buf out;

	buf_init(&out, 0);
	rc = run_program(g, threads, &out, &status, e);
	for (char *line = rc || status ? NULL : out.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		lines++;
		if (!*g->alone)
			snprintf(g->alone, sizeof g->alone, "%s", line);
		others += strcmp(g->alone, line) != 0;
	}
	if (!rc && (status || lines != threads))
		err_set(e, ERR_INTERNAL, "ended with status %d: %s", status, out.data ? out.data : "");
	else if (!rc && others)
		err_set(e, ERR_INTERNAL, "%d of %d threads have other bits", others, threads);
	buf_release(&out);
	if (differ)
		*differ = others;
	return rc ? GUESTS_FAILED : status || lines != threads ? GUESTS_CRASHED : others ? GUESTS_DIFFER : GUESTS_SAME;
}

int guests_open(struct guests *g, struct err *e)
{
	int rc = 0;

	*g = (struct guests){.folder = "/tmp/assay-guests-XXXXXX"};
	if (!mkdtemp(g->folder))
		return err_set(e, ERR_IO, "cannot make a folder '%s'", g->folder);
	for (int i = 0; i < GUESTS_MODELS && !rc; i++)
		rc = make_files(g, i, e);
	if (!rc && guests_run(g, 1, NULL, e) != GUESTS_SAME)
		rc = e->code;
	if (rc)
		guests_close(g);
	return rc;
}

void guests_close(struct guests *g)
{
	struct err e;

	place_remove_tree(g->folder, &e);
}
