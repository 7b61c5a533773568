/* report.c - from the words of a user to text, table, JSON and picture. */
#include "base/json.h"
#include "base/mem.h"
#include "case/zoo_model.h"
#include "methods/narrow/narrow.h"

#define MAX_TEXT ((size_t)16 << 20)
#define MAX_PICTURE ((size_t)256 << 20)

/* Weights of eight bits: the model was quantized. */
static int has_int8(const struct graph *g)
{
	for (size_t i = 0; i < g->wires.n; i++) {
		const struct tensor *t = g->wires.at[i]->init;

		if (t && t->count > 1 && (t->dtype == DT_INT8 || t->dtype == DT_UINT8))
			return 1;
	}
	return 0;
}

static int parse(const struct narrow_request *q, const struct graph *g, struct narrow_options *o, struct err *e)
{
	int rc = narrow_target_parse(q->target, &o->target, e);

	if (!rc && q->precision && q->against)
		rc = err_set(e, ERR_USAGE, "--against is for a model that is narrow already: it takes no --precision");
	if (!rc && q->precision)
		rc = narrow_type_parse(q->precision, &o->type, e);
	if (!rc && q->runs < 0)
		rc = err_set(e, ERR_USAGE, "--effort takes a number of runs, not %lld", (long long)q->runs);
	if (!q->target && (q->precision ? o->type == NARROW_INT8 : has_int8(g)))
		o->target.limit = NARROW_TARGET_INT8;
	o->runs = (size_t)q->runs;
	o->seed = q->seed;
	return rc;
}

static int write_picture(const char *path, int rc, struct buf *svg, struct err *e)
{
	if (!rc)
		rc = buf_write_file(svg->data, svg->len, path, e);
	buf_release(svg);
	return rc;
}

static int report_narrowed(const struct narrow_request *q, const char *name, struct model *m,
			   const struct narrow_data *data, const struct narrow_options *o, struct narrow_report *out,
			   struct err *e)
{
	struct narrow_result r = {.n = 0};
	struct buf svg;
	int rc = narrow_run(m, data, o, &r, e);

	if (!rc)
		rc = narrow_text(&r, name, &out->text, e);
	if (!rc)
		rc = narrow_table(&r, q->all, &out->arena, &out->table, e);
	if (!rc && q->svg) {
		buf_init(&svg, MAX_PICTURE);
		rc = write_picture(q->svg, narrow_svg(&r, &svg, e), &svg, e);
	}
	if (!rc)
		out->json = narrow_json(&r, name);
	out->beyond = r.answer == NARROW_BEYOND;
	narrow_result_release(&r);
	return rc;
}

static int report_against(const struct narrow_request *q, const char *name, struct model *m,
			  const struct narrow_data *data, const struct narrow_options *o, struct narrow_report *out,
			  struct err *e)
{
	struct narrow_against a = {.n = 0};
	struct model *original = NULL;
	struct buf bytes, svg;
	int rc;

	buf_init(&bytes, MODEL_MAX_FILE);
	rc = zoo_model_open(q->against, q->seed, &bytes, &original, e);
	buf_release(&bytes);
	if (!rc)
		rc = narrow_against(m, original, data, o, &a, e);
	if (!rc)
		rc = narrow_against_text(&a, name, q->against, &out->text, e);
	if (!rc)
		rc = narrow_against_table(&a, q->all, &out->arena, &out->table, e);
	if (!rc && q->svg) {
		buf_init(&svg, MAX_PICTURE);
		rc = write_picture(q->svg, narrow_against_svg(&a, &svg, e), &svg, e);
	}
	if (!rc)
		out->json = narrow_against_json(&a, name, q->against);
	out->beyond = a.reach.error > a.target.limit;
	narrow_against_release(&a);
	model_free(original);
	return rc;
}

int narrow_report_make(const struct narrow_request *q, const char *name, struct model *m,
		       const struct narrow_data *data, struct narrow_report *out, struct err *e)
{
	struct narrow_report r = {.arena = ARENA_INIT};
	struct narrow_options o = {.runs = 0};
	struct progress bar;
	int rc = parse(q, m->graph, &o, e);

	if (rc)
		return rc;
	buf_init(&r.text, MAX_TEXT);
	progress_start(&bar, "losses", data->n);
	o.progress = &bar;
	rc = q->against ? report_against(q, name, m, data, &o, &r, e) : report_narrowed(q, name, m, data, &o, &r, e);
	progress_end(&bar);
	if (rc)
		narrow_report_release(&r);
	else
		*out = r;
	return rc;
}

void narrow_report_release(struct narrow_report *r)
{
	buf_release(&r->text);
	json_decref(r->json);
	arena_release(&r->arena);
	*r = (struct narrow_report){.beyond = 0};
}
