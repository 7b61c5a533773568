/* inputs.c - see inputs.h. */
#include "case/inputs.h"

#include "base/mem.h"
#include "case/ports.h"
#include "case/told_sizes.h"

int inputs_from_files(const struct graph *g, const struct texts *files, struct value **in, struct err *e)
{
	const struct graph_ports p = ports_of_inputs(g);
	struct value **got = mem_array(p.n + 1, sizeof *got);
	int rc = got ? 0 : err_nomem(e, "inputs", p.n * sizeof *got);

	for (size_t i = 0; i < files->n && !rc; i++) {
		rc = ports_read(&p, files->at[i], in, got, e);
		for (size_t k = 0; k < p.n && got; k++) {
			if (!rc && got[k] && in[k])
				rc = err_set(e, ERR_USAGE, "input '%s' is given twice", p.at[k]->name);
			else if (!rc && got[k])
				in[k] = value_ref(got[k]);
			value_unref(got[k]);
			got[k] = NULL;
		}
	}
	mem_free(got);
	return rc;
}

/* ---- all together ------------------------------------------------------------------------------------------------ */

void inputs_free(struct value **in, size_t n)
{
	for (size_t i = 0; in && i < n; i++)
		value_unref(in[i]);
	mem_free(in);
}

int inputs_complete(const struct graph *g, const struct input_options *o, struct value **in, json_t **sizes,
		    struct err *e)
{
	unsigned *made_up = sizes && !*sizes ? mem_array(g->inputs.n + 1, sizeof *made_up) : NULL;
	int rc;

	if (made_up)
		told_sizes_find_open(g, o, in, made_up);
	rc = inputs_make_up(g, o, in, e);
	if (!rc && made_up)
		*sizes = told_sizes_json(g, in, made_up);
	mem_free(made_up);
	return rc;
}

int inputs_make(const struct graph *g, const struct input_options *o, struct value ***out, json_t **sizes,
		struct err *e)
{
	struct value **in = mem_array(g->inputs.n, sizeof *in);
	int rc = in ? inputs_from_files(g, &o->files, in, e) : err_nomem(e, "inputs", g->inputs.n * sizeof *in);

	for (size_t i = 0; i < g->inputs.n && !rc && o->files.n && !o->random.given; i++)
		if (!in[i] && !g->inputs.at[i]->init)
			rc = err_set(e, ERR_USAGE, "no --input gives '%s'; --random would make it up",
				     g->inputs.at[i]->name);
	if (!rc)
		rc = inputs_complete(g, o, in, sizes, e);
	if (rc) {
		inputs_free(in, g->inputs.n);
		return rc;
	}
	*out = in;
	return 0;
}
