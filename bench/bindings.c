/* bindings.c - are our bindings of a library right, and do we know what its calls mean?
 *
 *     build/bench_bindings LIBRARY [OPERATOR|- [CASES [SEED]]]          (all operators, 40 cases each, seed 1)
 *     build/bench_bindings LIBRARY cases [FILE|- [SEED]]                (the lines of data/cases)
 *
 * For each operator that the library is bound to, small models of that operator are drawn by its samples.  Each is run
 * call by call; every call is held against its documented meaning (src/proof), and the result against the reference.
 * A line an operator:
 *
 *   cases     models drawn;  ran: to their end;  unsupported: the binding or the library does not have it
 *   calls     held against their meaning;  unknown: calls that have none
 *   library   wrong calls and valid calls that are refused: the library's;  limit: refused by its documentation
 *   ours      wrong results although no call is: the binding's
 *
 * Operators that take any number of inputs are drawn with one and with several; those that are younger than the opset
 * of the fuzzer in models of the newest; those that are bound and took no call yet by their lines of data/cases.
 * Each kind of trouble is told once, with the seed that shows it; at the end operators that are bound and took no call
 * of the library (what is constant is folded before), and those that were in no case.  Exit status 1 when something is
 * ours or unknown or such an operator is left, 2 when there was no case. BINDINGS_SPECIAL=1 draws NaN and infinities,
 * too; BINDINGS_SHOW=1 saves the first case in trouble and ends there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/place.h"
#include "methods/fuzz/target.h"
#include "model/case.h"
#include "model/case_file.h"
#include "proof/proof.h"

#define CASES 40
#define MOST_INPUTS 4 /* of operators that take any number */

struct counts {
	size_t cases, ran, unsupported, calls, unknown, library, limit, ours;
};

struct bindings_bench {
	const char *library;
	struct spec_list specs;
	struct party party;
	struct meanings meanings;
	struct corpus corpus;
	int opset;
	size_t cases;
	uint64_t seed;
	char folder[PLACE_PATH];
	struct counts total;
	struct map seen;   /* operators of cases that ran: name → something */
	struct map tried;  /* and of those that are said to be unsupported */
	struct map called; /* and of those that took a call of the library */
	struct map kinds;  /* of trouble: text → how often, as a pointer-sized number */
};

static void die(const struct err *e)
{
	fprintf(stderr, "bench_bindings: %s\n", e->msg);
	exit(2);
}

/* ---- trouble ----------------------------------------------------------------------------------------------------- */

/* Words and signs alone: numbers differ from case to case and make no other kind. */
static void drop_numbers(char *text)
{
	char *to = text;

	while (*text) {
		size_t n = strspn(text, "0123456789.e+-");

		if (!n || *text == 'e')
			*to++ = *text++;
		else
			text += n;
	}
	*to = '\0';
}

static void note(struct bindings_bench *b, const char *op, const struct proof *p, uint64_t seed)
{
	char key[256];
	uintptr_t n;

	snprintf(key, sizeof key, "%s|%s|%s|%.120s", proof_name(p->result), op, p->name,
		 p->result == PROOF_UNKNOWN ? "" : p->why);
	drop_numbers(key);
	n = (uintptr_t)map_get(&b->kinds, key) + 1;
	if (map_put(&b->kinds, key, (void *)n))
		exit(2);
	if (n > 1)
		return;
	printf("    %s: %s, case %016llx\n      %s\n", proof_name(p->result), op, (unsigned long long)seed, p->why);
	if (p->call.data && *p->call.data)
		printf("      call %zu of %zu: %s\n", p->number, p->total, p->call.data);
}

static void count(struct bindings_bench *b, const char *op, const struct proof *p, const struct outcome *o,
		  struct counts *c, uint64_t seed)
{
	int wrong = verdict_is_finding(o->verdict);

	c->calls += p->judged;
	c->unknown += p->unknown;
	c->library += p->result == PROOF_CALL;
	c->limit += p->result == PROOF_LIMIT && wrong;
	c->ours += p->result == PROOF_OURS && wrong;
	if (p->result == PROOF_CALL || p->unknown || ((p->result == PROOF_OURS || p->result == PROOF_LIMIT) && wrong))
		note(b, op, p, seed);
}

/* Operators of a case. */
static void see_operators(struct map *seen, const struct graph *g)
{
	for (size_t i = 0; i < g->nodes.n; i++) {
		char name[128];

		snprintf(name, sizeof name, "%.60s%s%.60s", g->nodes.at[i]->domain, *g->nodes.at[i]->domain ? ":" : "",
			 g->nodes.at[i]->op_type);
		if (map_put(seen, name, seen))
			exit(2);
	}
}

/* ---- one case ---------------------------------------------------------------------------------------------------- */

static void run_case(struct bindings_bench *b, const char *op, struct fuzz_case *made, struct counts *c)
{
	struct trial t = {0};
	struct outcome o = {0};
	struct calls calls = {.arena = ARENA_INIT};
	struct proof p = {0};
	struct err e = ERR_INIT;
	char old[PLACE_PATH];

	snprintf(old, sizeof old, "%.4000s/calls.py", b->folder);
	remove(old);
	if (trial_init(&t, made->model, made->inputs, made->seed, &e))
		die(&e);
	made->model = NULL;
	made->inputs = NULL;
	c->cases++;
	if (trial_judge(&t, &b->party, NULL, &o, &e) || trial_doubt(&t, NULL, DOUBT_FULL, &o, &e))
		die(&e);
	c->unsupported += o.verdict == VERDICT_UNSUPPORTED;
	c->ran += o.values != NULL;
	see_operators(o.verdict != VERDICT_UNSUPPORTED ? &b->seen : &b->tried, t.model->graph);
	if (o.verdict != VERDICT_UNSUPPORTED && !t.invalid) {
		if (calls_read(b->folder, &calls, &e) ||
		    proof_of_calls(&calls, &b->meanings, &b->party, proof_end_of(&o), &p, &e))
			die(&e);
		count(b, op, &p, &o, c, made->seed);
		if (p.judged + p.unknown)
			see_operators(&b->called, t.model->graph);
		if (getenv("BINDINGS_SHOW") &&
		    (p.result == PROOF_CALL || (p.result == PROOF_OURS && verdict_is_finding(o.verdict)))) {
			snprintf(old, sizeof old, "%.4000s-case", b->folder);
			if (trial_save(&t, old, &e))
				die(&e);
			printf("      %s: %s\n", verdict_name(o.verdict), o.reason);
			exit(1);
		}
	}
	calls_release(&calls);
	proof_release(&p);
	outcome_release(&o);
	trial_release(&t);
}

/* ---- one operator ------------------------------------------------------------------------------------------------ */

static int has_case(const struct fuzz_op *op, const struct op_case *c)
{
	for (size_t i = 0; op->cases && op->cases[i]; i++)
		if (!strcmp(op->cases[i]->line, c->line))
			return 1;
	return 0;
}

/* A corpus_types: one operator, with the types and cases that the library has. */
static uint32_t only(struct fuzz_op *op, void *arg)
{
	const struct fuzz_op *chosen = arg;
	size_t kept = 0;

	if (strcmp(op->name, chosen->name) != 0)
		return 0;
	for (size_t i = 0; op->cases && op->cases[i]; i++)
		if (has_case(chosen, op->cases[i]))
			op->cases[kept++] = op->cases[i];
	if (op->cases)
		op->cases[kept] = NULL;
	return chosen->types;
}

static void print_row(const char *name, const struct counts *c)
{
	printf("%-28s %6zu %6zu %6zu %8zu %8zu %8zu %6zu %6zu\n", name, c->cases, c->ran, c->unsupported, c->calls,
	       c->unknown, c->library, c->limit, c->ours);
	fflush(stdout);
}

static void load_corpus(struct bindings_bench *b, struct corpus *out)
{
	struct err e = ERR_INIT;
	char path[PLACE_PATH];

	if (place_data_file(NULL, "blocks-large.yaml", path, &e) || corpus_load(path, 1, out, &e))
		die(&e);
	(void)b;
}

static void add_up(struct counts *total, const struct counts *c)
{
	total->cases += c->cases;
	total->ran += c->ran;
	total->unsupported += c->unsupported;
	total->calls += c->calls;
	total->unknown += c->unknown;
	total->library += c->library;
	total->limit += c->limit;
	total->ours += c->ours;
}

/* A corpus_types: with so many inputs. */
static uint32_t with_inputs(struct fuzz_op *op, void *arg)
{
	op->in_low = op->in_high = *(const int *)arg;
	return op->types;
}

static void draw(struct bindings_bench *b, struct fuzz_op *op, int inputs, size_t cases, struct counts *c)
{
	struct fuzz_options o = {.seed = b->seed,
				 .blocks = 1,
				 .search = FUZZ_SEARCH_RANDOM,
				 .opset = b->opset,
				 .graphs = GRAPH_RN,
				 .special = getenv("BINDINGS_SPECIAL") != NULL};
	struct corpus one = {0};
	struct fuzzer *f = NULL;
	struct err e = ERR_INIT;

	load_corpus(b, &one);
	if (corpus_filter(&one, only, op, &e) || corpus_filter(&one, with_inputs, &inputs, &e) ||
	    fuzzer_new(&one, &o, &f, &e))
		die(&e);
	for (size_t i = 0; i < cases; i++) {
		struct fuzz_case made = {0};

		if (fuzzer_next(f, &made, &e))
			die(&e);
		run_case(b, op->name, &made, c);
		fuzz_case_release(&made);
	}
	fuzzer_free(f);
	corpus_release(&one);
}

static void run_operator(struct bindings_bench *b, struct fuzz_op *op)
{
	int most = op->in_high < MOST_INPUTS ? op->in_high : MOST_INPUTS, forms;
	struct counts c = {0};

	most = most < op->in_low ? op->in_low : most;
	forms = most - op->in_low + 1;
	for (int i = 0; i < forms; i++)
		draw(b, op, op->in_low + i,
		     b->cases * (size_t)(i + 1) / (size_t)forms - b->cases * (size_t)i / (size_t)forms, &c);
	print_row(op->name, &c);
	add_up(&b->total, &c);
}

/* Those of the corpus that are not among `before`. */
static void run_operators(struct bindings_bench *b, struct corpus *c, const struct corpus *before, const char *only_op)
{
	for (int i = 0; i < c->n_ops; i++)
		if ((!only_op || !strcmp(only_op, c->ops[i].name)) &&
		    (!before || corpus_find(before, c->ops[i].name) < 0))
			run_operator(b, &c->ops[i]);
}

/* ---- lines of data/cases ----------------------------------------------------------------------------------------- */

/* "Scaler-1 …" is about Scaler. */
static int is_about(const char *line, const char *operator)
{
	size_t n = strlen(operator);

	return !strncmp(line, operator, n) && line[n] == '-';
}

/* Types, versions and attributes that are never drawn.  operator: those about it alone, NULL: all. */
static void run_lines(struct bindings_bench *b, const char *path, const char *operator, struct counts * c)
{
	struct case_lines lines;
	struct err e = ERR_INIT;

	if (case_lines_read(path, &lines, &e))
		die(&e);
	for (size_t i = 0; i < lines.all.n; i++) {
		struct op_case one;
		struct fuzz_case made = {.seed = b->seed};

		if (operator&& !is_about(lines.all.at[i].text, operator))
			continue;
		if (case_parse(lines.all.at[i].text, b->seed, &one, &e))
			die(&e);
		made.model = one.model;
		made.inputs = one.inputs;
		run_case(b, lines.all.at[i].text, &made, c);
	}
	case_lines_release(&lines);
}

/* What became of an operator that is bound. */
enum fate { FATE_NO_CASE, FATE_UNSUPPORTED, FATE_NO_CALL, FATE_CALLED };

static enum fate fate_of(const struct bindings_bench *b, const char *name)
{
	if (map_get(&b->called, name))
		return FATE_CALLED;
	if (map_get(&b->seen, name))
		return FATE_NO_CALL;
	return map_get(&b->tried, name) ? FATE_UNSUPPORTED : FATE_NO_CASE;
}

static size_t tell_fate(const struct bindings_bench *b, enum fate fate, const char *title)
{
	const char *const *bound = worker_operators(b->party.worker);
	size_t n = 0;

	for (size_t i = 0; bound[i]; i++)
		if (fate_of(b, bound[i]) == fate)
			printf("%s%s", n++ ? ", " : title, bound[i]);
	if (n)
		putchar('\n');
	return n;
}

/* Operators that are bound and took no call yet, by their lines. */
static void run_uncalled(struct bindings_bench *b)
{
	const char *const *bound = worker_operators(b->party.worker);

	for (size_t i = 0; bound[i]; i++) {
		struct counts c = {0};

		if (fate_of(b, bound[i]) == FATE_CALLED)
			continue;
		run_lines(b, NULL, bound[i], &c);
		print_row(bound[i], &c);
		add_up(&b->total, &c);
	}
}

/* How many are in no case. */
static size_t run_rest(struct bindings_bench *b)
{
	run_uncalled(b);
	tell_fate(b, FATE_NO_CALL, "    bound, and ran without a call of the library: ");
	tell_fate(b, FATE_UNSUPPORTED, "    bound, but said to be unsupported in every case: ");
	return tell_fate(b, FATE_NO_CASE, "    bound, and in no case: ");
}

/* ---- a library --------------------------------------------------------------------------------------------------- */

static void open_library(struct bindings_bench *b)
{
	struct proof_recording r = {.folder = b->folder, .values = 1};
	struct fuzz_options o = {0};
	struct err e = ERR_INIT;

	snprintf(b->folder, sizeof b->folder, "/tmp/assay-bindings-XXXXXX");
	if (!mkdtemp(b->folder))
		exit(2);
	if (spec_make_list(b->library, &b->specs, &e))
		die(&e);
	r.spec = &b->specs.at[0];
	if (proof_open(&r, &b->party, &e) || meanings_load(b->specs.at[0].backend, &b->meanings, &e))
		die(&e);
	load_corpus(b, &b->corpus);
	if (fuzz_target_fit(&b->specs, &o, &b->corpus, &e))
		die(&e);
	b->opset = o.opset;
}

/* Operators that the opset of the fuzzer does not have yet. */
static void run_younger(struct bindings_bench *b, const char *only_op)
{
	struct fuzz_options o = {.oldest = OP_NEWEST_OPSET, .newest = OP_NEWEST_OPSET};
	struct corpus newest = {0};
	struct err e = ERR_INIT;

	b->opset = OP_NEWEST_OPSET;
	load_corpus(b, &newest);
	if (fuzz_target_fit(&b->specs, &o, &newest, &e))
		die(&e);
	run_operators(b, &newest, &b->corpus, only_op);
	corpus_release(&newest);
}

int main(int argc, char **argv)
{
	struct bindings_bench b = {.cases = argc > 3 ? strtoul(argv[3], NULL, 10) : CASES,
				   .seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1};
	const char *only_op = argc > 2 && strcmp(argv[2], "-") != 0 ? argv[2] : NULL;
	int lines = argc > 2 && !strcmp(argv[2], "cases");
	struct err ignored = ERR_INIT;
	size_t left = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: bench_bindings LIBRARY [OPERATOR|-|cases [CASES|FILE [SEED]]]\n");
		return 2;
	}
	b.library = argv[1];
	open_library(&b);
	printf("%-28s %6s %6s %6s %8s %8s %8s %6s %6s\n", "operator", "cases", "ran", "unsup.", "calls", "unknown",
	       "library", "limit", "ours");
	if (lines) {
		run_lines(&b, argc > 3 && strcmp(argv[3], "-") ? argv[3] : NULL, NULL, &b.total);
	} else {
		run_operators(&b, &b.corpus, NULL, only_op);
		run_younger(&b, only_op);
		left = only_op ? 0 : run_rest(&b);
	}
	print_row("all", &b.total);
	place_remove_tree(b.folder, &ignored);
	party_close(&b.party);
	meanings_release(&b.meanings);
	corpus_release(&b.corpus);
	spec_list_release(&b.specs);
	map_release(&b.seen);
	map_release(&b.tried);
	map_release(&b.called);
	map_release(&b.kinds);
	if (!b.total.cases) { /* nothing was checked: that is no success */
		fprintf(stderr,
			"bench_bindings: no case was drawn: the operator is not bound, or newer than opset %d\n",
			b.opset);
		return 2;
	}
	return b.total.ours || b.total.unknown || left;
}
