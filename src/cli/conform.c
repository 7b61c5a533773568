/* conform.c - see conform.h. */
#include "cli/conform.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/conform_compare.h"
#include "cli/inputs.h"
#include "model/model.h"
#include "ops/op.h"
#include "reference/reference.h"
#include "tensor/io.h"

#define MAX_DEPTH 16 /* of folders */
#define PATH_SIZE 4096
#define NOISE_RUNS 16 /* when rounding is asked whether it explains a difference */

/* ---- finding cases ----------------------------------------------------------------------------------------------- */

static const char *last_part(const char *path, size_t *n)
{
	size_t end = strlen(path), start;

	while (end && path[end - 1] == '/')
		end--;
	start = end;
	while (start && path[start - 1] != '/')
		start--;
	*n = end - start;
	return path + start;
}

static char *name_of_folder(const char *path, int up)
{
	char copy[PATH_SIZE], *name;
	size_t n;

	snprintf(copy, sizeof copy, "%s", path);
	for (;;) {
		const char *part = last_part(copy, &n);

		if (!up--) {
			name = mem_zalloc(n + 1);
			return name ? memcpy(name, part, n) : NULL;
		}
		copy[part - copy] = '\0';
	}
}

static int add_case(const char *dir, struct conform_list *out, struct err *e)
{
	struct conform_case c = {
		.name = name_of_folder(dir, 0), .suite = name_of_folder(dir, 1), .path = mem_strdup(dir)};

	if (c.name && c.suite && c.path && !vec_push(out, c))
		return 0;
	mem_free(c.name);
	mem_free(c.suite);
	mem_free(c.path);
	return err_nomem(e, "test cases", sizeof c);
}

static int find_below(const char *dir, const char *filter, int depth, struct conform_list *out, struct err *e)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	DIR *d;
	int rc = 0;

	if (snprintf(path, sizeof path, "%s/model.onnx", dir) < (int)sizeof path && !access(path, R_OK))
		return !filter || strstr(dir, filter) ? add_case(dir, out, e) : 0;
	d = opendir(dir);
	if (!d)
		return depth ? 0 : err_set(e, ERR_IO, "cannot open folder '%s'", dir);
	while (!rc && depth < MAX_DEPTH && (entry = readdir(d))) {
		struct stat st;

		if (entry->d_name[0] == '.' ||
		    snprintf(path, sizeof path, "%s/%s", dir, entry->d_name) >= (int)sizeof path)
			continue;
		if (!lstat(path, &st) && S_ISDIR(st.st_mode))
			rc = find_below(path, filter, depth + 1, out, e);
	}
	closedir(d);
	return rc;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct conform_case *)a)->path, ((const struct conform_case *)b)->path);
}

int conform_find(const char *dir, const char *filter, struct conform_list *out, struct err *e)
{
	size_t before = out->n;
	int rc = find_below(dir, filter, 0, out, e);

	if (!rc && out->n > before)
		qsort(out->at + before, out->n - before, sizeof *out->at, by_path);
	return rc;
}

void conform_list_release(struct conform_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		mem_free(l->at[i].name);
		mem_free(l->at[i].suite);
		mem_free(l->at[i].path);
	}
	vec_release(l);
}

const char *conform_status_name(enum conform_status s)
{
	static const char *const names[] = {
		[CONFORM_PASSED] = "passed", [CONFORM_FAILED] = "failed", [CONFORM_UNSUPPORTED] = "unsupported"};

	return names[s];
}

const char *conform_how_text(enum conform_how h)
{
	static const char *const texts[] = {[CONFORM_EXACT] = "",
					    [CONFORM_ROUNDED] = "matches after rounding each node",
					    [CONFORM_NOISE] = "differs by no more than float rounding explains",
					    [CONFORM_RANDOM] = "random by specification: types and shapes compared"};

	return texts[h];
}

size_t conform_count(const struct conform_list *l, enum conform_status s)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->at[i].status == s;
	return n;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static int load_numbered(const char *dir, const char *kind, size_t i, const struct type *t, struct value **out,
			 struct err *e)
{
	char path[PATH_SIZE];
	int rc;

	if (snprintf(path, sizeof path, "%s/%s_%zu.pb", dir, kind, i) >= (int)sizeof path || access(path, R_OK)) {
		*out = NULL;
		return 0;
	}
	rc = pb_load_value(path, t->kind, out, NULL, e);
	if (rc)
		return rc;
	rc = inputs_adapt(out, t, e);
	if (rc)
		value_unref(*out);
	return rc;
}

static int load_inputs(const struct graph *g, const char *dir, struct value **in, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < g->inputs.n && !rc; i++)
		rc = load_numbered(dir, "input", i, &g->inputs.at[i]->type, &in[i], e);
	return rc;
}

static int check_outputs(struct compare *c, const struct graph *g, const char *dir, const struct ref_result *got,
			 struct err *e)
{
	for (size_t i = 0; i < g->outputs.n; i++) {
		struct value *want;
		int rc = load_numbered(dir, "output", i, &g->outputs.at[i]->type, &want, e);

		if (!rc && !want)
			rc = err_set(e, ERR_INPUT, "output_%zu.pb is missing", i);
		if (rc)
			return rc;
		rc = compare_output(c, g->outputs.at[i], &got->outputs[i], want, e);
		value_unref(want);
		if (rc)
			return rc;
	}
	return 0;
}

static int run_set(struct compare *c, struct ref *ref, const struct graph *g, enum ref_mode mode, const char *dir,
		   struct err *e)
{
	struct value **in = mem_array(g->inputs.n, sizeof *in);
	struct ref_options o = {.mode = mode, .noise_runs = NOISE_RUNS};
	struct ref_result got = {NULL, 0};
	int rc = in ? load_inputs(g, dir, in, e) : err_nomem(e, "inputs", 0);

	if (!rc)
		rc = ref_run(ref, in, g->inputs.n, &o, &got, e);
	if (!rc)
		rc = check_outputs(c, g, dir, &got, e);
	ref_result_release(&got);
	inputs_free(in, g->inputs.n);
	return rc;
}

static int run_sets(struct compare *c, struct model *m, struct ref *ref, enum ref_mode mode, const char *dir,
		    struct err *e)
{
	char path[PATH_SIZE];
	int sets = 0, rc = 0;

	for (; !rc; sets++) {
		if (snprintf(path, sizeof path, "%s/test_data_set_%d", dir, sets) >= (int)sizeof path ||
		    access(path, R_OK))
			break;
		rc = run_set(c, ref, m->graph, mode, path, e);
	}
	return rc || sets ? rc : err_set(e, ERR_INPUT, "no test_data_set_0");
}

static const enum ref_mode attempts[] = {
	[CONFORM_EXACT] = REF_EXACT, [CONFORM_ROUNDED] = REF_ROUNDED, [CONFORM_NOISE] = REF_NOISY};

/* One mode after the other, as long as only values differ; the first failure is the one to report. */
static int run_modes(struct conform_case *c, struct compare *compare, struct model *m, struct ref *ref, struct err *e)
{
	int rc = compare_start(compare, m->graph, e);

	for (int i = 0; i < (int)(sizeof attempts / sizeof *attempts) && !rc; i++) {
		struct err later = ERR_INIT;

		compare->values_differ = 0;
		if (!run_sets(compare, m, ref, attempts[i], c->path, i ? &later : e)) {
			c->how = compare->random ? CONFORM_RANDOM : (enum conform_how)i;
			err_clear(e);
			return 0;
		}
		if (!compare->values_differ)
			break;
	}
	return e->code;
}

/* The error that a case ended with, without its path: the case's name says that already. */
static void set_detail(struct conform_case *c, const char *path, const struct err *e)
{
	size_t n = strlen(path);
	int prefixed = !strncmp(e->msg, path, n) && e->msg[n] == ':' && e->msg[n + 1];

	snprintf(c->detail, sizeof c->detail, "%s", e->msg + (prefixed ? n + 2 : 0));
}

void conform_run(struct conform_case *c, double rtol, double atol)
{
	struct compare compare = {.rtol = rtol, .atol = atol};
	char path[PATH_SIZE];
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct ref *ref = NULL;
	int rc;

	snprintf(path, sizeof path, "%s/model.onnx", c->path);
	rc = model_load(path, &m, &e);
	if (!rc)
		rc = ref_open(m, &ref, &e);
	if (!rc)
		rc = run_modes(c, &compare, m, ref, &e);
	c->status = !rc ? CONFORM_PASSED : rc == ERR_UNSUPPORTED ? CONFORM_UNSUPPORTED : CONFORM_FAILED;
	if (rc)
		set_detail(c, path, &e);
	else
		snprintf(c->detail, sizeof c->detail, "%s", conform_how_text(c->how));
	compare_end(&compare);
	ref_close(ref);
	model_free(m);
}
