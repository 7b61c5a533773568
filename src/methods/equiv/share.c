/* share.c - see share.h. */
#include "methods/equiv/share.h"

#include "base/place.h"
#include "base/progress.h"

static int reads_onnx(const struct worker_spec *spec)
{
	const struct library *l = spec_is_reference(spec) ? NULL : library_find(spec->backend);

	return l && l->repro.how == REPRO_READS;
}

static void step(size_t done, size_t total, const char *name, void *arg)
{
	struct progress *p = arg;

	p->total = total;
	progress_step(p, done, name);
}

static int run(struct equiv *q, const struct equiv_share *s, struct equiv_options *o, struct err *e)
{
	struct equiv_keeper k = {.keeper = {.db = s->db, .method = "equiv", .campaign = s->campaign}, .o = o};
	struct progress p;
	int rc;

	progress_start(&p, "rounds of equivalent calls", q->n);
	o->progress = step;
	o->progress_arg = &p;
	o->found = s->db ? equiv_keep : NULL;
	o->found_arg = &k;
	rc = equiv_run(q, o, e);
	keeper_close(&k.keeper);
	progress_end(&p);
	return rc ? rc : keeper_check(&k.keeper, e);
}

/* A library that lists no operators has none for rules. */
static int run_one(const struct worker_spec *spec, const struct equiv_share *s, double seconds, const char *folder,
		   struct equiv_shared *out, struct err *e)
{
	struct equiv_options o = {.atol = EQUIV_ATOL,
				  .rtol = EQUIV_RTOL,
				  .seed = s->seed,
				  .split = s->split,
				  .jobs = s->jobs,
				  .seconds = seconds,
				  .limits = equiv_limits()};
	struct equiv q = {0};
	struct equiv_totals t;
	int rc = equiv_open(&q, spec->name, folder, &o, e);

	if (rc == ERR_UNSUPPORTED) {
		err_clear(e);
		return 0;
	}
	if (!rc)
		rc = run(&q, s, &o, e);
	if (!rc) {
		t = equiv_totals(&q);
		out->backends++;
		out->pairs += t.run;
		out->inputs += t.inputs;
		out->findings += t.findings;
	}
	equiv_release(&q);
	return rc;
}

int equiv_share_run(const struct equiv_share *s, struct equiv_shared *out, struct err *e)
{
	double seconds = s->seconds > 0 ? s->seconds * s->percent / 100 : SHARE_OF_NO_END;
	char data[PLACE_PATH], folder[PLACE_PATH];
	size_t fit = 0;
	int rc = 0;

	*out = (struct equiv_shared){0};
	for (size_t i = 0; i < s->specs->n; i++)
		fit += (size_t)reads_onnx(&s->specs->at[i]);
	if (!fit || !(s->percent > 0))
		return 0;
	rc = place_data(data, e);
	if (!rc)
		rc = place_path(folder, e, "%s/equiv", data);
	for (size_t i = 0; i < s->specs->n && !rc; i++)
		if (reads_onnx(&s->specs->at[i]))
			rc = run_one(&s->specs->at[i], s, seconds / (double)fit, folder, out, e);
	out->seconds = s->seconds > 0 && out->backends ? seconds : 0;
	return rc;
}
