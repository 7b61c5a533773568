/* sample_recurrent.c - RNN, GRU and LSTM. */
#include <string.h>

#include "ops/recurrent/samplers.h"
#include "ops/sample/maker.h"

#define LAYOUT_OPSET 14 /* from this opset on the batch may be the first axis */

struct sample_cell {
	const char *op;
	int gates, states; /* states: outputs beside the sequence */
};

static const struct sample_cell cells[] = {{"RNN", 1, 1}, {"GRU", 3, 1}, {"LSTM", 4, 2}};

static const struct sample_cell *cell_of(const char *op)
{
	size_t i = 0;

	while (i + 1 < sizeof cells / sizeof *cells && strcmp(cells[i].op, op))
		i++;
	return &cells[i];
}

/* What the sequences are, and what the weights are made for. */
struct shape {
	int64_t steps, batch, inputs, hidden, directions;
	int batch_first; /* layout 1 */
};

/* Optional inputs, each left out by chance: bias, lengths, first states, peepholes. */
static int draw_inputs(struct maker *m, const struct sample_cell *c, const struct shape *s, struct wire **in)
{
	int64_t state[3] = {s->batch_first ? s->batch : s->directions, s->batch_first ? s->directions : s->batch,
			    s->hidden};
	int64_t rows = c->gates * s->hidden;

	in[1] = make_weights(m, DT_FLOAT, 3, (int64_t[]){s->directions, rows, s->inputs});
	in[2] = make_weights(m, DT_FLOAT, 3, (int64_t[]){s->directions, rows, s->hidden});
	if (make_chance(m, 0.6))
		in[3] = make_weights(m, DT_FLOAT, 2, (int64_t[]){s->directions, 2 * rows});
	if (m->wide && make_chance(m, 0.3))
		in[4] = make_random(m, DT_INT32, 1, &s->batch, 1, (double)s->steps);
	if (make_chance(m, 0.5))
		in[5] = make_weights(m, DT_FLOAT, 3, state);
	if (c->states == 2 && make_chance(m, 0.5))
		in[6] = make_weights(m, DT_FLOAT, 3, state);
	if (c->states == 2 && m->wide && make_chance(m, 0.2))
		in[7] = make_weights(m, DT_FLOAT, 2, (int64_t[]){s->directions, 3 * s->hidden});
	for (int n = 8; n > 0; n--)
		if (in[n - 1])
			return n;
	return 0;
}

static struct wire *sample_recurrent(struct maker *m, struct wire *const *in, int n)
{
	static const char *const directions[] = {"forward", "reverse", "bidirectional"};
	const struct sample_cell *c = cell_of(m->row->name);
	struct wire *all[8] = {make_shrink(m, make_calm(m, make_rank(m, in[0], 3), 2), 128)};
	int way = (int)make_between(m, 0, 2), pick = (int)make_between(m, 0, c->states), count;
	int first = m->opset >= LAYOUT_OPSET && m->wide && make_chance(m, 0.25);
	struct shape s;

	(void)n;
	if (m->b.rc)
		return NULL;
	s = (struct shape){.steps = all[0]->type.dims[first],
			   .batch = all[0]->type.dims[!first],
			   .inputs = all[0]->type.dims[2],
			   .hidden = make_between(m, 1, 4),
			   .directions = way == 2 ? 2 : 1,
			   .batch_first = first};
	count = draw_inputs(m, c, &s, all);
	make_begin_some(m, c->op, all, count, c->states + 1, 1u << pick | (unsigned)make_between(m, 0, 7));
	build_int(&m->b, "hidden_size", s.hidden);
	if (way || make_chance(m, 0.5))
		build_string(&m->b, "direction", directions[way]);
	if (s.batch_first)
		build_int(&m->b, "layout", 1);
	if (c->gates == 3 && make_chance(m, 0.5))
		build_int(&m->b, "linear_before_reset", 1);
	if (m->wide && c->states == 1 && make_chance(m, 0.15)) /* of the state of an LSTM libraries do not agree */
		build_float(&m->b, "clip", 0.5);
	make_done(m);
	return m->b.rc ? NULL : make_set_bound(m, m->b.last->out[pick], pick == 2 ? (double)s.steps + 2 : 2);
}

const struct sampler sampler_recurrent = {
	.summary = "RNN, GRU or LSTM",
	.types = T_F32,
	.make = sample_recurrent,
};
