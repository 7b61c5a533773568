/* swap.c - the tables of the paper on meta operators, operator by library, and what mixed execution costs.
 *
 *   bench_swap                         the speed bars on TensorFlow, PyTorch, MXNet and TensorFlow Lite
 *   bench_swap speed BASE LIBRARY…     the same with others
 *   bench_swap paper BASE LIBRARY…     the paper's twenty operators from BASE to each library, as Markdown
 *   bench_swap tables                  the tables as Markdown
 *   bench_swap tables FILE             … between the lines "tables begin" and "tables end" of a file
 *   bench_swap operators NAME…         of the second table the rows of some operators alone
 *
 * Run in the repository's root; libraries that are not installed are left out.  Inputs differ from element to element.
 * A cell has δ, the mean absolute deviation, of outputs and of gradients; what the reference finds wrong is bold. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/texts.h"
#include "judge/session.h"
#include "methods/swap/swap.h"
#include "model/case.h"
#include "model/case_file.h"
#include "support/bench.h"
#include "support/meta_operators.h"
#include "worker/parent/quirks.h"
#include "zoo/zoo.h"

#define MAX_LIBRARIES 8
#define TRIED 8  /* lines of an operator, until a library takes one */
#define RUNS 201 /* of which the median: one run varies fivefold on a busy machine */
#define BEGIN "<!-- tables begin -->"
#define END "<!-- tables end -->"

static struct quirks quirks;

/* Opens those of a list that are installed; how many. */
static size_t open_libraries(struct party *p, const char *const *names, size_t n)
{
	size_t opened = 0;

	for (size_t i = 0; i < n && opened < MAX_LIBRARIES; i++) {
		struct err e = ERR_INIT;

		if (party_open(&p[opened], names[i], NULL, &e))
			fprintf(stderr, "%s is left out: %s\n", names[i], e.msg);
		else
			opened++;
	}
	return opened;
}

static void close_libraries(struct party *p, size_t n)
{
	while (n)
		party_close(&p[--n]);
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

struct cell {
	double c, g;
	enum verdict verdict;
	int gradient; /* it is the gradient that is wrong */
};

static struct cell measure(const char *line, struct party *base, struct party *test)
{
	struct swap_options o = {.gradients = 1, .no_verify = 1, .judge = {.quirks = &quirks}};
	struct cell cell = {(double)NAN, (double)NAN, VERDICT_UNSUPPORTED, 0};
	struct swap_result r = {0};
	struct err e = ERR_INIT;
	struct op_case c;
	struct trial t;

	bench_must(case_parse(line, 1, &c, &e), &e);
	bench_must(trial_init(&t, c.model, c.inputs, 1, &e), &e);
	if (!swap_run(&t, base, test, &o, &r, &e))
		cell = (struct cell){r.ops[0].delta_c, r.ops[0].delta_g, r.ops[0].verdict, r.ops[0].gradient};
	swap_result_release(&r);
	trial_release(&t);
	return cell;
}

static void print_delta(struct buf *out, double x, int wrong)
{
	const char *bold = wrong ? "**" : "";

	if (isnan(x))
		buf_puts(out, "–");
	else if (x == 0)
		buf_printf(out, "%s0%s", bold, bold);
	else
		buf_printf(out, "%s%.1e%s", bold, x, bold);
}

static void print_cell(struct buf *out, const struct cell *c)
{
	int wrong = verdict_is_finding(c->verdict);

	buf_puts(out, " | ");
	if (isnan(c->c)) {
		buf_puts(out, wrong ? verdict_name(c->verdict) : "–");
		return;
	}
	print_delta(out, c->c, wrong && !c->gradient);
	buf_puts(out, ", ");
	print_delta(out, c->g, wrong && c->gradient);
}

static void print_head(struct buf *out, const struct party *p, size_t n, const char *before)
{
	buf_puts(out, "| operator");
	for (size_t i = 0; i < n; i++)
		buf_printf(out, " | %s%s", before, p[i].spec.name);
	buf_puts(out, " |\n|---");
	for (size_t i = 0; i < n; i++)
		buf_puts(out, "|---");
	buf_puts(out, "|\n");
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Tables 2 and 3 of the paper: between two libraries. */
static void paper_table(struct buf *out, struct party *p, size_t n)
{
	buf_printf(out,
		   "The paper's twenty operators, δ_C and δ_G from %s %s to another library (its Tables 2 and 3):\n\n",
		   p[0].spec.name, party_version(&p[0]));
	print_head(out, p + 1, n - 1, "");
	for (size_t k = 0; k < meta_operators_n; k++) {
		buf_printf(out, "| %s", meta_operators[k].name);
		for (size_t i = 1; i < n; i++) {
			struct cell c = measure(meta_operators[k].line, &p[0], &p[i]);

			print_cell(out, &c);
		}
		buf_puts(out, " |\n");
	}
}

static size_t name_length(const char *line)
{
	return strcspn(line, "- ");
}

static int same_operator(const char *a, const char *b)
{
	return name_length(a) == name_length(b) && !strncmp(a, b, name_length(a));
}

/* By operator, then as they stand in their file. */
static int by_operator(const void *a, const void *b)
{
	const struct case_line *x = a, *y = b;
	size_t m = name_length(x->text), n = name_length(y->text);
	int order = strncmp(x->text, y->text, m < n ? m : n);

	return order ? order : m != n ? (m > n) - (m < n) : x->number - y->number;
}

/* The first line that a library takes, and of which ONNX says what is right; δ of one that it leaves open says nothing.
 */
static struct cell operator_cell(const struct case_line *lines, size_t n, struct party *p)
{
	struct cell cell = {(double)NAN, (double)NAN, VERDICT_UNSUPPORTED, 0};
	struct party reference = {0};

	for (size_t k = 0; k < n && k < TRIED; k++) {
		struct cell one = measure(lines[k].text, &reference, p);

		if (one.verdict != VERDICT_UNSUPPORTED && one.verdict != VERDICT_UNSPECIFIED)
			return one;
		if (!isnan(one.c)) /* unsupported: it has no gradient */
			cell = one;
	}
	return cell;
}

/* One operator on every library; 0: none has it. */
static int operator_row(const struct case_line *lines, size_t n, struct party *p, size_t n_p, struct cell *cells)
{
	int any = 0;

	for (size_t i = 0; i < n_p; i++) {
		cells[i] = operator_cell(lines, n, &p[i]);
		any |= cells[i].verdict != VERDICT_UNSUPPORTED;
	}
	return any;
}

static int is_among(const char *line, const struct texts *only)
{
	for (size_t i = 0; i < only->n; i++)
		if (same_operator(line, only->at[i]))
			return 1;
	return !only->n;
}

/* `only`: of these operators; none: of all. */
static void full_table(struct buf *out, struct party *p, size_t n_p, const struct texts *only)
{
	struct err e = ERR_INIT;
	struct case_lines cases;
	const struct case_line *lines;
	size_t n, next;

	bench_must(case_lines_read("data/cases", &cases, &e), &e);
	qsort(cases.all.at, cases.all.n, sizeof *cases.all.at, by_operator);
	lines = cases.all.at;
	n = cases.all.n;
	buf_puts(out,
		 "\nEvery operator that one of the libraries has, δ_C and δ_G to the reference, rounded to the type:");
	for (size_t i = 0; i < n_p; i++)
		buf_printf(out, "%s %s %s", i ? "," : "", p[i].spec.name, party_version(&p[i]));
	buf_puts(out, ".\n\n");
	print_head(out, p, n_p, "");
	for (size_t i = 0; i < n; i = next) {
		struct cell cells[MAX_LIBRARIES];

		for (next = i + 1; next < n && same_operator(lines[i].text, lines[next].text);)
			next++;
		if (!is_among(lines[i].text, only))
			continue;
		fprintf(stderr, "%zu of %zu: %.*s\n", i, n, (int)name_length(lines[i].text), lines[i].text);
		if (!operator_row(&lines[i], next - i, p, n_p, cells))
			continue;
		buf_printf(out, "| %.*s", (int)name_length(lines[i].text), lines[i].text);
		for (size_t k = 0; k < n_p; k++)
			print_cell(out, &cells[k]);
		buf_puts(out, " |\n");
	}
	case_lines_release(&cases);
}

/* Puts a text between two lines of a file. */
static void insert(const char *path, const char *text)
{
	struct err e = ERR_INIT;
	struct buf old, new;
	const char *begin, *end;

	buf_init(&old, 1 << 24);
	buf_init(&new, 1 << 24);
	bench_must(buf_read_file(&old, path, 1 << 24, &e), &e);
	buf_puts(&old, "");
	begin = strstr(old.data, BEGIN);
	end = strstr(old.data, END);
	if (!begin || !end || end < begin)
		bench_must(err_set(&e, ERR_INPUT, "'%s' has no lines '%s' and '%s'", path, BEGIN, END), &e);
	buf_add(&new, old.data, (size_t)(begin - old.data));
	buf_printf(&new, "%s\n%s%s", BEGIN, text, end);
	bench_must(buf_write_file(new.data, new.len, path, &e), &e);
	buf_release(&old);
	buf_release(&new);
}

/* The table of a list of libraries, the first of which is the base; how many of them are there. */
static size_t paper(struct buf *out, const char *const *names, size_t count)
{
	struct party p[MAX_LIBRARIES];
	size_t n = open_libraries(p, names, count);

	if (n > 1)
		paper_table(out, p, n);
	close_libraries(p, n);
	return n;
}

static void tables(const char *path, const struct texts *only)
{
	static const char *const pairs[] = {"tf", "torch", "tflite", "mxnet@1.6.0", "mxnet@1.9.1", "jax"};
	static const char *const all[] = {"tf", "tflite", "torch", "mxnet", "jax"};
	struct party p[MAX_LIBRARIES];
	struct err e = ERR_INIT;
	struct buf out;
	size_t n;

	buf_init(&out, 1 << 24);
	bench_must(quirks_load("data/quirks.tsv", &quirks, &e), &e);
	if (!only->n)
		paper(&out, pairs, sizeof pairs / sizeof *pairs);
	n = open_libraries(p, all, sizeof all / sizeof *all);
	if (n)
		full_table(&out, p, n, only);
	close_libraries(p, n);
	if (!out.len)
		bench_must(err_set(&e, ERR_INPUT, "no library is installed: there is nothing to tell"), &e);
	if (path)
		insert(path, out.data);
	else
		fputs(out.data, stdout);
	buf_release(&out);
	quirks_release(&quirks);
}

/* The paper's table alone; how many libraries are there. */
static size_t print_paper(const char *const *names, size_t count)
{
	struct err e = ERR_INIT;
	struct buf out;
	size_t n;

	buf_init(&out, 1 << 24);
	bench_must(quirks_load("data/quirks.tsv", &quirks, &e), &e);
	n = paper(&out, names, count);
	if (out.len)
		fputs(out.data, stdout);
	buf_release(&out);
	quirks_release(&quirks);
	return n;
}

/* ---- speed ------------------------------------------------------------------------------------------------------- */

static struct trial network(const char *name)
{
	struct value **in = mem_array(1, sizeof *in);
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct trial t;

	bench_must(zoo_build(zoo_find(name), 1, 1, NULL, &m, &e), &e);
	in[0] = value_tensor(bench_random_input(m->graph->inputs.at[0]), &e);
	bench_must(trial_init(&t, m, in, 1, &e), &e);
	return t;
}

/* Seconds of a mixed run with all nodes on one library, in units of a whole-graph run just before it: the median, since
 * both see the same load of the machine in turn. */
static double overhead(struct trial *t, struct party *p)
{
	size_t *binding = mem_array(t->model->graph->nodes.n, sizeof *binding);
	struct party *parties[] = {p};
	struct outcome loaded = {0};
	struct err e = ERR_INIT;
	struct mixed *m = NULL;
	double ratios[RUNS];
	uint64_t session;

	bench_must(mixed_open(t, parties, 1, binding, 0, &m, &e), &e);
	session_load(p, t, &session, &loaded);
	for (int i = -1; i < RUNS; i++) { /* the first one loads */
		struct mixed_run run = {0};
		struct outcome o = {0};
		double start = clock_now(), then;

		bench_must(session_run(p, t, session, &o, &e), &e);
		then = clock_now();
		bench_must(mixed_forward(m, &run, &e), &e);
		if (i >= 0)
			ratios[i] = (clock_now() - then) / (then - start);
		outcome_release(&o);
		mixed_run_release(&run);
	}
	session_unload(p, session);
	mixed_close(m);
	mem_free(binding);
	return bench_median(ratios, RUNS);
}

static void speed(struct party *p, size_t n)
{
	struct swap_options o = {.gradients = 1};
	struct trial t = network("resnet20");
	struct swap_result r = {0};
	struct err e = ERR_INIT;
	char what[128];

	for (size_t i = 0; i < n; i++) {
		snprintf(what, sizeof what, "resnet20 mixed, all on %.40s, against its own run", p[i].spec.name);
		bench_at_most(what, overhead(&t, &p[i]), "times", 1.15);
	}
	for (size_t i = 1; i < n; i++) {
		bench_must(swap_run(&t, &p[0], &p[i], &o, &r, &e), &e);
		snprintf(what, sizeof what, "resnet20 swapped, %.40s to %.40s%s", p[0].spec.name, p[i].spec.name,
			 r.gradients ? "" : ", outputs alone");
		bench_at_most(what, r.seconds, "s", 30);
		swap_result_release(&r);
	}
	trial_release(&t);
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {"tf", "torch", "tflite", "mxnet@1.6.0", "mxnet@1.9.1"};
	struct party p[MAX_LIBRARIES];
	size_t n;

	if (argc > 1 && !strcmp(argv[1], "tables")) {
		tables(argc > 2 ? argv[2] : NULL, &(struct texts){0});
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "operators")) {
		tables(NULL, &(struct texts){.at = (const char **)argv + 2, .n = (size_t)argc - 2});
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "paper")) {
		if (print_paper((const char *const *)argv + 2, (size_t)argc - 2) > 1)
			return 0;
		fprintf(stderr, "nothing to swap: two libraries are needed\n");
		return 2;
	}
	n = argc > 2 ? open_libraries(p, (const char *const *)argv + 2, (size_t)argc - 2)
		     : open_libraries(p, usual, sizeof usual / sizeof *usual);
	if (n < 2) {
		printf("nothing to swap: two libraries are needed\n");
		return 0;
	}
	speed(p, n);
	close_libraries(p, n);
	return bench_missed;
}
