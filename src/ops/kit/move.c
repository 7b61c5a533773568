/* move.c - see move.h. */
#include "ops/kit/move.h"

#include <string.h>

/* What a block of zeros is copied from, whatever the element. */
static const char zeros[16];

/* A block that reads one and the same element again and again. */
static struct strided from_one(const struct strided *s)
{
	struct strided fill = *s;

	for (int a = 0; a < fill.rank; a++)
		fill.src_step[a] = 0;
	fill.src = 0;
	return fill;
}

struct string_copy {
	struct tensor *dst;
	const struct bytes *src; /* NULL: empty strings */
	struct err *err;
};

static int copy_string(void *arg, size_t dst, size_t src)
{
	const struct string_copy *k = arg;

	if (!k->src)
		return tensor_set_string(k->dst, dst, "", 0, k->err);
	return tensor_set_string(k->dst, dst, k->src[src].p, k->src[src].n, k->err);
}

static int strided_eval(struct mover *m, int out, int in, const struct strided *s)
{
	const struct tensor *src = in == MOVE_FILL ? m->fill : m->c->in[in];
	struct tensor *dst = m->c->out[out];

	if (m->strings) {
		struct string_copy k = {dst, src ? src->s : NULL, m->c->err};

		return strided_each(s, copy_string, &k);
	}
	strided_copy(s, m->elem, dst->data, src ? src->data : zeros);
	return 0;
}

static void strided_delta(struct mover *m, int out, int in, const struct strided *s)
{
	const float *src = in == MOVE_FILL ? NULL : m->c->in_delta[in];
	struct strided lanes = *s;

	for (int a = 0; a < lanes.rank; a++) {
		lanes.dst_step[a] *= m->c->lanes;
		lanes.src_step[a] *= m->c->lanes;
	}
	lanes.dst *= m->c->lanes;
	lanes.src *= m->c->lanes;
	strided_axis(&lanes, m->c->lanes, 1, 1);
	if (!src)
		lanes = from_one(&lanes);
	strided_copy(&lanes, sizeof *src, m->c->out_delta[out], src ? (const void *)src : zeros);
}

int move_strided(struct mover *m, int out, int in, const struct strided *s)
{
	struct call *c = m->c;

	if (m->mode == MOVE_GRAD) {
		if (in != MOVE_FILL && c->in_grad[in] && c->out_grad[out])
			strided_add_back(s, c->out_grad[out]->f, c->in_grad[in]->f);
		return 0;
	}
	if (m->mode == MOVE_DELTA) {
		if (call_wants(c, out) && c->out_delta[out])
			strided_delta(m, out, in, s);
		return 0;
	}
	if (!c->out[out])
		return 0;
	if (in == MOVE_FILL) {
		struct strided fill = from_one(s);

		return strided_eval(m, out, in, &fill);
	}
	return strided_eval(m, out, in, s);
}

int move_run(struct mover *m, int out, size_t dst, int in, size_t src, size_t n)
{
	struct strided s;

	if (m->mode == MOVE_EVAL && in != MOVE_FILL && !m->strings) {
		if (m->c->out[out] && n)
			memcpy((char *)m->c->out[out]->data + dst * m->elem,
			       (const char *)m->c->in[in]->data + src * m->elem, n * m->elem);
		return 0;
	}
	strided_init(&s, (int64_t)dst, (int64_t)src);
	strided_axis(&s, (int64_t)n, 1, 1);
	return move_strided(m, out, in, &s);
}

int move_eval(struct call *c, move_fn *fn)
{
	struct mover m = {.c = c, .mode = MOVE_EVAL};

	for (int i = 0; i < c->n_out; i++)
		if (c->out[i]) {
			m.elem = dtype_wide_size(c->out[i]->dtype);
			m.strings = dtype_wide(c->out[i]->dtype) == WIDE_STR;
		}
	return fn(&m);
}

int move_grad(struct call *c, move_fn *fn)
{
	struct mover m = {.c = c, .mode = MOVE_GRAD};

	return fn(&m);
}

enum delta_result move_delta(struct call *c, move_fn *fn, unsigned data)
{
	struct mover m = {.c = c, .mode = MOVE_DELTA};

	for (int i = 0; i < c->n_in; i++)
		if (c->in_delta[i] && (i < 32 ? !(data >> i & 1) : data != MOVE_ALL_INPUTS))
			return DELTA_DECLINED;
	return fn(&m) ? DELTA_FAILED : DELTA_DONE;
}

/* ---- views ------------------------------------------------------------------------------------------------------- */

static int view_move(struct mover *m)
{
	return move_run(m, 0, 0, 0, 0, m->c->in[0]->count);
}

int view_grad(struct call *c)
{
	return move_grad(c, view_move);
}

enum delta_result view_delta(struct call *c)
{
	if (c->out_delta[0] == c->in_delta[0])
		return DELTA_DONE;
	return move_delta(c, view_move, MOVE_INPUT_0);
}
