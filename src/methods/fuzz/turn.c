/* turn.c - see turn.h. */
#include "methods/fuzz/turn.h"

#include "base/mem.h"

#define NAN_OPSET 9  /* IsNaN and Where are there since */
#define OTHER_TURN 5 /* one turn of so many is of another version of an operator */
#define STRIDE 7919  /* a prime: operators whose turns follow each other have nothing in common */

static int count_types(uint32_t types)
{
	int n = 0;

	for (int t = 1; t < DT_COUNT; t++)
		n += types >> t & 1;
	return n;
}

/* Types with which a block has a turn each. */
static uint32_t types_of(const struct fuzz_op *op, int opset)
{
	return op->row ? op->at[opset] : 0;
}

/* Turns of a block: one for each type, and one for each attribute, by which it has more ways to go. */
static int turns_of(const struct fuzz_op *op, int opset)
{
	int n = count_types(types_of(op, opset));

	for (const struct op_attr *a = n ? op->row->op->attrs : NULL; a && a->name; a++)
		n++;
	return n;
}

static uint32_t nth_type(uint32_t types, int n)
{
	for (int t = 1; t < DT_COUNT; t++)
		if ((types >> t & 1) && !n--)
			return TM(t);
	return 0;
}

struct fuzz_turn fuzz_turn_of(const struct corpus *c, int opset, uint64_t number)
{
	struct fuzz_turn nobody = {.block = -1};
	int all = 0, at;

	for (int i = 0; i < c->n_ops; i++)
		all += turns_of(&c->ops[i], opset);
	if (!all)
		return nobody;
	at = (int)(number % (uint64_t)all * STRIDE % (uint64_t)all);
	for (int i = 0; i < c->n_ops; i++) {
		int turns = turns_of(&c->ops[i], opset);

		if (at < turns)
			return (struct fuzz_turn){.block = i, .types = nth_type(types_of(&c->ops[i], opset), at)};
		at -= turns;
	}
	return nobody;
}

static int version_of(const struct fuzz_op *op, int opset)
{
	return op->at[opset] ? ops_version(op->row, ops_opset_with(op->row->domain, opset)) : 0;
}

static int is_last_of_other(const struct fuzz_op *op, int usual, int opset, int newest)
{
	int version = version_of(op, opset);

	return version && version != version_of(op, usual) && (opset == newest || version_of(op, opset + 1) != version);
}

int fuzz_other_turns(const struct corpus *c, int usual, int oldest, int newest, struct fuzz_turn *out, int most)
{
	int n = 0;

	for (int i = 0; i < c->n_ops; i++)
		for (int opset = oldest; opset <= newest && c->ops[i].row; opset++) {
			if (!is_last_of_other(&c->ops[i], usual, opset, newest))
				continue;
			if (n < most)
				out[n] = (struct fuzz_turn){.block = i, .opset = opset};
			n++;
		}
	return n;
}

struct fuzz_turn fuzz_other_turn(const struct fuzz_turn *turns, int n, uint64_t number)
{
	return turns[number % (uint64_t)n * STRIDE % (uint64_t)n];
}

int fuzz_turns_init(struct fuzz_turns *t, const struct corpus *c, int usual, int oldest, int newest, uint64_t first,
		    struct err *e)
{
	int n = oldest > 0 ? fuzz_other_turns(c, usual, oldest, newest, NULL, 0) : 0;

	*t = (struct fuzz_turns){.corpus = c, .usual = usual, .first = first};
	if (!n)
		return 0;
	t->others = mem_array((size_t)n, sizeof *t->others);
	if (!t->others)
		return err_nomem(e, "turns", (size_t)n * sizeof *t->others);
	t->n_others = fuzz_other_turns(c, usual, oldest, newest, t->others, n);
	return 0;
}

void fuzz_turns_release(struct fuzz_turns *t)
{
	mem_free(t->others);
}

struct fuzz_turn fuzz_turns_at(const struct fuzz_turns *t, uint64_t number)
{
	if (t->n_others && number % OTHER_TURN == OTHER_TURN - 1)
		return fuzz_other_turn(t->others, t->n_others, number / OTHER_TURN + t->first);
	if (t->n_others)
		number -= number / OTHER_TURN;
	return fuzz_turn_of(t->corpus, t->usual, number + t->first);
}

int fuzz_keeps_nan(const struct corpus *c, int opset)
{
	static const char *const needed[] = {"IsNaN", "Where"};

	for (size_t i = 0; i < sizeof needed / sizeof *needed && c->with_operators; i++) {
		int block = corpus_find(c, needed[i]);

		if (block < 0 || !corpus_has(c, block, opset))
			return 0;
	}
	return opset >= NAN_OPSET;
}
