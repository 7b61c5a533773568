/* cli.c - see cli.h. */
#include "cli/cli.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/parallel.h"
#include "base/plain.h"
#include "base/progress.h"
#include "base/split.h"
#include "base/vec.h"
#include "base/verdict.h"
#include "case/told_sizes.h"
#include "cli/terminal.h"
#include "model/model.h"
#include "reference/reference.h"
#include "report/paint.h"

/* How many words at argv[i] are one of these options with its value. */
static int count_left_out(const struct cli *c, int i, const char *but)
{
	const char *word = c->argv[i];

	for (; but && *but; but += strcspn(but, " "), but += *but == ' ') {
		size_t n = strcspn(but, " ="), has_value = but[n] == '=';

		if (!strncmp(word, but, n) && (!word[n] || (has_value && word[n] == '=')))
			return 1 + (has_value && !word[n]);
	}
	return 0;
}

void cli_command(const struct cli *c, const char *but, struct buf *out)
{
	buf_printf(out, "assay %s", c->verb);
	for (int i = 0; i < c->argc; i++) {
		int n = count_left_out(c, i, but);

		if (n) {
			i += n - 1;
			continue;
		}
		buf_puts(out, " ");
		buf_quote(out, c->argv[i]);
	}
}

int cli_fail(const struct err *e)
{
	plain_say(stderr, e->msg);
	return err_exit_status(e->code);
}

int cli_parse_status(int rc, const struct err *e)
{
	return rc == CLI_DONE ? CLI_OK : cli_fail(e);
}

/* ---- help -------------------------------------------------------------------------------------------------------- */

#define HELP_COLUMNS 110

/* Options that every verb has. */
static int64_t verbose_level, threads = -1;
static double max_work = REF_MAX_WORK;
static const char *const color_words[] = {"auto", "always", "never", NULL};
enum { COLOR_AUTO, COLOR_ALWAYS };
static struct cli_word color = {.words = color_words, .at = COLOR_AUTO};
static const struct cli_option common[] = {
	{0, "color", "WHEN", CLI_WORD, &color, "auto (on a terminal, unless NO_COLOR is set), always or never"},
	{0, "max-work", "N", CLI_FLOAT, &max_work, "steps that a run of the reference may take (default: 1e14)"},
	{0, "threads", "N", CLI_INT, &threads, "threads of the reference (default: ASSAY_THREADS, or all processors)"},
	{'v', "verbose", "N", CLI_INT, &verbose_level, "0 errors, 1 warnings (default), 2 what is done, 3 each step"},
	{0},
};

static void print_row(FILE *out, const struct cli_option *o)
{
	char left[64];

	snprintf(left, sizeof left, "%s%c%s--%s%s%s", o->letter ? "-" : "  ", o->letter ? o->letter : ' ',
		 o->letter ? ", " : " ", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
	fprintf(out, "  %-26s %s\n", left, o->help);
}

/* Rows up to the mark, or all of them; the first one that was left out, or the end. */
static const struct cli_option *print_rows(FILE *out, const struct cli_option *o, int all)
{
	for (; o->name && (all || o->type != CLI_MARK); o++)
		if (o->type != CLI_MARK)
			print_row(out, o);
	return o;
}

static void print_names(struct buf *line, const struct cli_option *o)
{
	for (; o->name; o++)
		if (o->type != CLI_MARK)
			buf_printf(line, "%s --%s", line->data[line->len - 1] == ':' ? "" : ",", o->name);
}

static void print_verdicts(FILE *out)
{
	fputs("\nverdicts:\n", out);
	for (int v = 0; v < VERDICT_COUNT; v++)
		fprintf(out, "  %-12s %s\n", verdict_name((enum verdict)v), verdict_means((enum verdict)v));
}

/* What the short form leaves out, in a paragraph at its end. */
static void print_more(const struct cli *c, const struct cli_option *rare)
{
	struct buf line;

	buf_init(&line, 4096);
	buf_printf(&line, "'assay help %s --all' describes the other options%s:", c->verb,
		   rare->name && c->notes ? ", and formats" : "");
	print_names(&line, rare);
	print_names(&line, common);
	buf_puts(&line, ".");
	fputc('\n', c->out);
	terminal_wrap(c->out, 0, 0, HELP_COLUMNS, line.data ? line.data : "");
	if (c->verdicts)
		fputs("'assay explain verdicts' says what verdicts mean.\n", c->out);
	buf_release(&line);
}

static void print_help(const struct cli *c, const struct cli_option *options, int all)
{
	const struct cli_option *rare;

	fprintf(c->out, "usage: assay %s %s\n\n%s\n\nexample:\n  %s\n\noptions:\n", c->verb, c->arguments, c->summary,
		c->example);
	rare = print_rows(c->out, options, all);
	if (all)
		print_rows(c->out, common, 1);
	fprintf(c->out, "  %-26s %s\n", "-h, --help", "this text");
	if (c->notes && !rare->name)
		fprintf(c->out, "\n%s", c->notes);
	if (c->status)
		fprintf(c->out, "\nExit status: %s\n", c->status);
	if (!all)
		print_more(c, rare);
	else if (c->verdicts)
		print_verdicts(c->out);
}

static void print_completion(const struct cli *c, const struct cli_option *options)
{
	if (cli_complete_value(c, options) || cli_complete_value(c, common))
		return;
	if (c->networks) {
		cli_complete_networks(c);
		fputs(CLI_COMPLETE_FILES, c->out);
	}
	for (const struct cli_option *o = options; o->name; o++)
		if (o->type != CLI_MARK)
			fprintf(c->out, "--%s\t%s\n", o->name, o->help);
	for (const struct cli_option *o = common; o->name; o++)
		fprintf(c->out, "--%s\t%s\n", o->name, o->help);
	fputs("--help\tthis text\n", c->out);
}

static int has_colors(void)
{
	const char *none = getenv("NO_COLOR");

	return progress_is_terminal(STDOUT_FILENO) && !(none && *none);
}

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

static int bad_value(const struct cli_option *o, const char *value, const char *wanted, struct err *e)
{
	return err_set(e, ERR_USAGE, "--%s: '%s' is not %s", o->name, value, wanted);
}

/* "LO:HI", two finite numbers. */
static int read_range(const char *text, struct number_range *out)
{
	struct number_range r = {.given = 1, .has_range = 1};
	char *end;

	r.lo = strtod(text, &end);
	if (end == text || *end != ':')
		return 0;
	text = end + 1;
	r.hi = strtod(text, &end);
	if (end == text || *end || !isfinite(r.lo) || !isfinite(r.hi) || r.lo > r.hi)
		return 0;
	*out = r;
	return 1;
}

/* A number, or two with a colon between: meant for an option, and not the name of a file. */
static int is_numeric(const char *text)
{
	return text[strspn(text, "0123456789+-.eE:")] == '\0' && *text;
}

/* One of the option's words: the first n letters of value. */
static int read_word(const struct cli_option *o, const char *value, size_t n, struct err *e)
{
	struct cli_word *w = o->to;
	char where[64], word[NEAR_MAX];

	w->at = near_find(value, n, w->words, w->stride);
	if (w->at >= 0) {
		w->chosen |= 1u << w->at;
		return 0;
	}
	snprintf(where, sizeof where, "--%s", o->name);
	snprintf(word, sizeof word, "%.*s", (int)n, value);
	return near_refuse(where, word, w->words, w->stride, e);
}

static int read_words(const struct cli_option *o, const char *value, struct err *e)
{
	struct cli_word *w = o->to;
	int rc = 0;

	if (w->text)
		*w->text = value;
	if (o->type == CLI_WORD)
		return read_word(o, value, strlen(value), e);
	for (const char *p = value; *p && !rc; p += *p == ',') {
		size_t n = strcspn(p, ",");

		rc = read_word(o, p, n, e);
		p += n;
	}
	return rc;
}

static int read_time(const struct cli_option *o, const char *value, struct err *e)
{
	int rc = clock_parse(value, o->to, e);

	return rc ? err_prefix(e, "--%s", o->name) : 0;
}

static int read_split(const struct cli_option *o, const char *value, struct err *e)
{
	int rc = split_parse(value, o->to, e);

	return rc ? err_prefix(e, "--%s", o->name) : 0;
}

/* A whole number of at least `least`, into *to. */
static int read_whole(const struct cli_option *o, const char *value, int64_t least, const char *wanted, struct err *e)
{
	char *end;

	errno = 0;
	*(int64_t *)o->to = strtoll(value, &end, 0);
	if (*end || end == value || *(int64_t *)o->to < least)
		return bad_value(o, value, wanted, e);
	return errno == ERANGE ? err_set(e, ERR_USAGE, "--%s: '%s' is too large", o->name, value) : 0;
}

static int read_number(const struct cli_option *o, const char *value, double least, const char *wanted, struct err *e)
{
	char *end;

	errno = 0;
	*(double *)o->to = strtod(value, &end);
	return *end || end == value || errno || !(*(double *)o->to >= least) ? bad_value(o, value, wanted, e) : 0;
}

static int store(const struct cli_option *o, const char *value, struct err *e)
{
	switch (o->type) {
	case CLI_FLAG:
		*(int *)o->to = 1;
		return 0;
	case CLI_STRING:
		*(const char **)o->to = value;
		return 0;
	case CLI_LIST:
		return vec_push((struct texts *)o->to, value) ? err_nomem(e, "options", 0) : 0;
	case CLI_INT:
		return read_whole(o, value, 0, "a whole number from 0 on", e);
	case CLI_COUNT:
		return read_whole(o, value, 1, "a whole number from 1 on", e);
	case CLI_FLOAT:
		return read_number(o, value, 0, "a number from 0 on", e);
	case CLI_ABOVE0:
		return read_number(o, value, DBL_MIN, "a number above 0", e);
	case CLI_RANGE:
		((struct number_range *)o->to)->given = 1;
		if (!value)
			return 0;
		return read_range(value, o->to) ? 0 : bad_value(o, value, "a range LO:HI", e);
	case CLI_TIME:
		return read_time(o, value, e);
	case CLI_SPLIT:
		return read_split(o, value, e);
	case CLI_WORD:
	case CLI_WORDS:
		return read_words(o, value, e);
	case CLI_OR_FILE:
		*((struct cli_word *)o->to)->text = value;
		return 0;
	case CLI_MARK:
		break;
	}
	return ERR_INTERNAL;
}

static const struct cli_option *find_in(const struct cli_option *options, const char *name, size_t n, char letter)
{
	for (const struct cli_option *o = options; o->name; o++)
		if (o->type != CLI_MARK &&
		    (letter ? o->letter == letter : strlen(o->name) == n && !memcmp(o->name, name, n)))
			return o;
	return NULL;
}

static const struct cli_option *find_option(const struct cli_option *options, const char *name, size_t n, char letter)
{
	const struct cli_option *o = find_in(options, name, n, letter);

	return o ? o : find_in(common, name, n, letter);
}

static int unknown_option(const struct cli *c, const struct cli_option *options, const char *arg, struct err *e)
{
	char name[NEAR_MAX];
	struct near n = {.word = name, .before = "--"};

	snprintf(name, sizeof name, "%.*s", arg[1] == '-' ? (int)strcspn(arg + 2, "=") : 0, arg + 2);
	near_offer_rows(&n, &options->name, sizeof *options);
	near_offer_rows(&n, &common->name, sizeof *common);
	return err_set(e, ERR_USAGE, "unknown option '%s'%s; see 'assay help %s'", arg, near_hint(&n), c->verb);
}

static int is_second_list(struct cli *c, const struct cli_option *options, const struct cli_option *o)
{
	int is_list = o->type == CLI_STRING && o->arg && !strcmp(o->arg, "LIST");
	uint64_t bit = is_list ? (uint64_t)1 << ((o - options) & 63) : 0;
	int again = (c->lists & bit) != 0;

	c->lists |= bit;
	return again;
}

/* One argument that begins with a dash; *i moves on when it takes the next one as its value. */
static int parse_one(struct cli *c, const struct cli_option *options, int *i, struct err *e)
{
	const char *arg = c->argv[*i], *value = NULL;
	const struct cli_option *o;

	if (arg[1] == '-') {
		size_t n = strcspn(arg + 2, "=");

		o = find_option(options, arg + 2, n, 0);
		value = arg[2 + n] == '=' ? arg + 3 + n : NULL;
	} else {
		o = find_option(options, NULL, 0, arg[1]);
		value = arg[2] ? arg + 2 : NULL;
	}
	if (!o)
		return unknown_option(c, options, arg, e);
	if (is_second_list(c, options, o))
		return err_set(e, ERR_USAGE, "--%s is there twice: write one list, with commas between", o->name);
	if (o->type == CLI_FLAG && value)
		return err_set(e, ERR_USAGE, "--%s takes no value", o->name);
	if (o->type == CLI_RANGE && !value && *i + 1 < c->argc && read_range(c->argv[*i + 1], o->to))
		++*i;
	else if (o->type == CLI_RANGE && !value && *i + 1 < c->argc && is_numeric(c->argv[*i + 1]))
		return bad_value(o, c->argv[*i + 1], "a range LO:HI", e);
	else if (o->type != CLI_FLAG && o->type != CLI_RANGE && !value) {
		if (*i + 1 >= c->argc)
			return err_set(e, ERR_USAGE, "--%s needs a value (%s)", o->name, o->arg);
		value = c->argv[++*i];
	}
	return store(o, value, e);
}

int cli_parse(struct cli *c, const struct cli_option *options, struct texts *rest, struct err *e)
{
	int only_arguments = 0, rc = 0;

	verbose_level = log_level();
	if (c->complete) {
		print_completion(c, options);
		return CLI_DONE;
	}
	for (int i = 0; i < c->argc && !rc; i++) {
		const char *arg = c->argv[i];

		if (only_arguments || arg[0] != '-' || !arg[1]) {
			if (vec_push(rest, arg))
				rc = err_nomem(e, "arguments", 0);
		} else if (!strcmp(arg, "--")) {
			only_arguments = 1;
		} else if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) {
			print_help(c, options, i + 1 < c->argc && !strcmp(c->argv[i + 1], "--all"));
			rc = CLI_DONE;
		} else {
			rc = parse_one(c, options, &i, e);
		}
	}
	if (!rc && !(max_work > 0))
		rc = err_set(e, ERR_USAGE, "--max-work: %g is not above 0", max_work);
	ref_set_max_work(max_work);
	parallel_set_threads(parallel_wanted(threads));
	paint_set(color.at == COLOR_ALWAYS || (color.at == COLOR_AUTO && has_colors()));
	log_set_level((int)(verbose_level < 0 ? 0 : verbose_level > LOG_DEBUG ? LOG_DEBUG : verbose_level));
	if (rc)
		vec_release(rest);
	return rc;
}

/* ---- a verb as a whole ------------------------------------------------------------------------------------------- */

int cli_main(struct cli *c, const struct cli_option *options, cli_run_fn *run, void *arg)
{
	struct texts rest = {0};
	struct err e = ERR_INIT;
	int rc = cli_parse(c, options, &rest, &e);

	if (rc)
		return cli_parse_status(rc, &e);
	rc = run(c, &rest, arg, &e);
	parallel_set_threads(1);
	vec_release(&rest);
	return rc < 0 ? cli_fail(&e) : rc;
}

int cli_one(const struct cli *c, const struct texts *rest, const char *what, struct err *e)
{
	return rest->n == 1 ? 0 : err_set(e, ERR_USAGE, "%s needs one %s, not %zu", c->verb, what, rest->n);
}

int cli_print_json(FILE *out, json_t *take)
{
	json_t *all = json_document(take);
	int failed = !all || json_dumpf(all, out, JSON_INDENT(1)) || fputc('\n', out) == EOF;

	json_decref(all);
	return failed ? CLI_FAILED : CLI_OK;
}

int cli_act(struct cli *c, const struct texts *words, void *actions, struct err *e)
{
	const struct cli_actions *all = actions;
	const struct cli_action *a = all->at;
	struct texts behind = {.at = words->at + !!words->n, .n = words->n - !!words->n};

	while (words->n && a->name && strcmp(a->name, words->at[0]) != 0)
		a++;
	if (!a->name)
		return err_set(e, ERR_USAGE, "%s has no '%s'%s; see 'assay help %s'", c->verb, words->at[0],
			       NEAR_HINT(words->at[0], all->at), c->verb);
	if (behind.n < a->least)
		return err_set(e, ERR_USAGE, "%s %s needs %s", c->verb, a->name, a->needs);
	return a->run(c, &behind, all->arg, e);
}

void cli_complete_actions(const struct cli *c, const struct cli_action *actions)
{
	for (; !c->argc && actions->name; actions++)
		fprintf(c->out, "%s\t%s\n", actions->name, actions->summary);
}

void cli_tell_sizes(FILE *out, const json_t *sizes, json_t *report)
{
	struct buf b;

	if (report) {
		json_object_set(report, "input_sizes", (json_t *)sizes);
		return;
	}
	buf_init(&b, 65536);
	told_sizes_text(sizes, &b);
	fputs(b.data ? b.data : "", out);
	buf_release(&b);
}

void cli_warn_of(const struct model *m)
{
	for (size_t i = 0; i < m->complaints.n; i++)
		log_print(LOG_WARNING, "warning: %s%s%s", m->path, *m->path ? ": " : "", m->complaints.at[i]);
}
