/* dataset_files.c - inputs of single runs, and expected outputs, each from files of their own (declared in dataset.h).
 *
 * What is given several times is given for several runs, in that order: the k-th file of an input is for run k. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/place.h"
#include "case/dataset.h"
#include "case/ports.h"

/* Values by run and port, as files give them. */
struct gathering {
	struct graph_ports ports;
	struct value ***runs; /* [n][ports.n] */
	size_t n;
};

static void gathering_release(struct gathering *x)
{
	for (size_t i = 0; i < x->n; i++)
		inputs_free(x->runs[i], x->ports.n);
	mem_free(x->runs);
}

static struct value **add_run(struct gathering *x, struct err *e)
{
	struct dataset d = {.runs = x->runs, .n = x->n, .n_inputs = x->ports.n};
	struct value **run = dataset_add_run(&d, e);

	x->runs = d.runs;
	x->n = d.n;
	return run;
}

/* Takes v as the next value of port k. */
static int put(struct gathering *x, size_t k, struct value *v, struct err *e)
{
	size_t run = 0;

	while (run < x->n && x->runs[run][k])
		run++;
	if (run == x->n && !add_run(x, e)) {
		value_unref(v);
		return e->code;
	}
	x->runs[run][k] = v;
	return 0;
}

static int is_complete(const struct gathering *x, size_t run)
{
	for (size_t k = 0; k < x->ports.n; k++)
		if (!x->runs[run][k] && !(x->ports.defaults && x->ports.at[k]->init))
			return 0;
	return 1;
}

static int gather_file(struct gathering *x, const char *item, struct value **none, struct value **got, struct err *e)
{
	size_t run = 0;
	int rc;

	while (run < x->n && is_complete(x, run))
		run++;
	rc = ports_read(&x->ports, item, run < x->n ? x->runs[run] : none, got, e);
	for (size_t k = 0; k < x->ports.n; k++) {
		if (got[k] && !rc)
			rc = put(x, k, got[k], e);
		else
			value_unref(got[k]);
		got[k] = NULL;
	}
	return rc;
}

static int gather(struct gathering *x, const struct texts *files, struct err *e)
{
	struct value **none = mem_array(x->ports.n + 1, sizeof *none), **got = mem_array(x->ports.n + 1, sizeof *got);
	int rc = none && got ? 0 : err_nomem(e, "values", 0);

	for (size_t i = 0; i < files->n && !rc; i++)
		rc = gather_file(x, files->at[i], none, got, e);
	mem_free(none);
	mem_free(got);
	return rc;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static size_t times_given(const struct gathering *x, size_t k)
{
	size_t n = 0;

	while (n < x->n && x->runs[n][k])
		n++;
	return n;
}

/* What is given once is for all runs; what is not given at all is made up when that is wanted. */
static int spread(struct gathering *x, int make_up, struct err *e)
{
	for (size_t k = 0; k < x->ports.n; k++) {
		size_t n = times_given(x, k);
		const char *name = x->ports.at[k]->name;

		if (!n && !x->ports.at[k]->init && !make_up)
			return err_set(e, ERR_USAGE, "no --input gives '%s'; --random 1 would make it up", name);
		if (n > 1 && n < x->n)
			return err_set(e, ERR_USAGE, "input '%s' is given %zu times, another one %zu times", name, n,
				       x->n);
		for (size_t run = 1; n == 1 && run < x->n; run++)
			x->runs[run][k] = value_ref(x->runs[0][k]);
	}
	return 0;
}

int dataset_from_files(const struct graph *g, const struct dataset_options *o, struct dataset *d, struct err *e)
{
	struct gathering x = {.ports = ports_of_inputs(g)};
	struct input_options each = o->inputs;
	int rc = gather(&x, &o->inputs.files, e);

	while (!rc && x.n < (size_t)o->random)
		rc = add_run(&x, e) ? 0 : e->code;
	if (!rc)
		rc = spread(&x, o->random > 0, e);
	d->all = x.n;
	for (; o->limit > 0 && x.n > (size_t)o->limit; x.n--)
		inputs_free(x.runs[x.n - 1], x.ports.n);
	for (size_t k = 0; k < x.n && !rc; k++) {
		each.seed = o->inputs.seed + (uint64_t)k;
		rc = inputs_complete(g, &each, x.runs[k], &d->sizes, e);
	}
	if (rc) {
		gathering_release(&x);
		return rc;
	}
	d->runs = x.runs;
	d->n = x.n;
	return 0;
}

/* ---- expected outputs -------------------------------------------------------------------------------------------- */

/* The part of run k out of `all` along the first axis. */
static int cut(const struct value *v, size_t k, size_t all, struct value **out, struct err *e)
{
	const struct tensor *t = v->kind == VALUE_TENSOR ? v->tensor : NULL;
	int64_t dims[TENSOR_MAX_RANK];
	struct tensor *part;
	size_t bytes;

	if (!t || !t->rank || t->dtype == DT_STRING || t->dims[0] % (int64_t)all || dtype_bits(t->dtype) % 8)
		return err_set(e, ERR_INPUT, "cannot be cut into %zu runs along its first axis", all);
	memcpy(dims, t->dims, sizeof dims);
	dims[0] /= (int64_t)all;
	part = tensor_new_packed(t->dtype, t->rank, dims, e);
	if (!part)
		return e->code;
	bytes = dtype_packed_size(t->dtype, part->count);
	memcpy(part->data, (const char *)t->data + k * bytes, bytes);
	*out = value_tensor(part, e);
	return *out ? 0 : e->code;
}

/* One set of outputs for all runs. */
static int cut_all(const struct gathering *x, struct dataset *d, const char *path, struct err *e)
{
	for (size_t run = 0; run < d->n; run++)
		for (size_t k = 0; k < x->ports.n; k++)
			if (x->runs[0][k] && cut(x->runs[0][k], run, d->all, &d->expected[run][k], e))
				return err_prefix(e, "'%s': output '%s'", path, x->ports.at[k]->name);
	return 0;
}

/* A folder of test_data_set_<n> is one set of outputs for each run. */
static int read_sets(struct gathering *x, const char *folder, size_t n, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		char path[PLACE_PATH];
		const char *at = path;
		const struct texts one = {.at = &at, .n = 1};

		rc = place_path(path, e, "%s/test_data_set_%zu", folder, i);
		if (!rc)
			rc = gather(x, &one, e);
	}
	return rc;
}

static int is_folder_of_sets(const struct texts *expect)
{
	char path[PLACE_PATH];
	struct err ignored = ERR_INIT;

	return expect->n == 1 && !place_path(path, &ignored, "%s/test_data_set_0", expect->at[0]) &&
	       place_is_folder(path);
}

int dataset_read_expected(const struct graph *g, const struct dataset_options *o, struct dataset *d, struct err *e)
{
	struct gathering x = {.ports = ports_of_outputs(g)};
	int rc = is_folder_of_sets(&o->expect) ? read_sets(&x, o->expect.at[0], d->n, e) : gather(&x, &o->expect, e);

	d->n_outputs = g->outputs.n;
	d->expected = mem_array(d->n + 1, sizeof *d->expected);
	if (!rc && !d->expected)
		rc = err_nomem(e, "outputs", d->n);
	for (size_t i = 0; i < d->n && !rc; i++)
		if (!(d->expected[i] = mem_array(g->outputs.n + 1, sizeof **d->expected)))
			rc = err_nomem(e, "outputs", g->outputs.n);
	if (!rc && x.n == 1 && d->all > 1)
		rc = cut_all(&x, d, ports_path(&x.ports, o->expect.at[0]), e);
	else if (!rc && x.n != d->n && x.n != d->all)
		rc = err_set(e, ERR_INPUT, "'%s': expected outputs of %zu runs, there are %zu",
			     ports_path(&x.ports, o->expect.at[0]), x.n, d->all);
	for (size_t i = 0; i < d->n && i < x.n && !rc && (x.n > 1 || d->all == 1); i++)
		for (size_t k = 0; k < g->outputs.n; k++)
			d->expected[i][k] = value_ref(x.runs[i][k]);
	gathering_release(&x);
	return rc;
}
