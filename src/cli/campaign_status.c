/* campaign_status.c - see campaign_status.h. */
#include "cli/campaign_status.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/plain.h"
#include "cli/status.h"
#include "cli/terminal.h"

#define DRAW_SECONDS 0.5
#define MAX_SCREEN 65536
#define NAME 128
#define CELL 40
#define LINE_COLUMNS 8
#define FIGURE 32
#define WIDEST_NAME 28
#define SHOWN_LINES 20

/* ---- while it runs ----------------------------------------------------------------------------------------------- */

/* "34.1 % OLC"; "" of a method that has no coverage, or before a task is over. */
static void coverage_text(const struct campaign_order *o, size_t line, double coverage, char out[FIGURE])
{
	const char *of = order_coverage(o, line);

	*out = '\0';
	if (of && !isnan(coverage))
		snprintf(out, FIGURE, "%.3g %s", coverage, of);
}

/* "98.2 %", of failures that were run again. */
static void stable_text(int64_t repeats, int64_t agreed, char out[FIGURE])
{
	*out = '\0';
	if (repeats)
		snprintf(out, FIGURE, "%.1f %%", 100 * (double)agreed / (double)repeats);
}

static void put_newest(const struct lead_status *status, struct buf *out)
{
	struct store_progress all = STORE_NO_PROGRESS;
	char name[NAME];

	buf_printf(out, "findings  %lld in %lld clusters\n", (long long)status->findings,
		   (long long)status->ledger->clusters);
	if (status->newest < status->order->n)
		order_name(status->order, status->newest, name, sizeof name);
	else
		*name = '\0';
	status_last(out, name, clock_now() - status->newest_at);
	for (size_t i = 0; i < status->order->n; i++)
		store_join_progress(&all, &status->lines[i].progress);
	status_stable(out, &all);
}

/* How many cases the tasks that are over had, and of which library. */
static void put_counts(const struct lead_status *status, struct buf *out)
{
	json_t *counts = lead_counts(status->order, status->ledger), *own;
	struct tally_row rows[STATUS_LIBRARIES];
	const char *backend;
	size_t n = 0, cases = 0;

	json_object_foreach(counts, backend, own)
	{
		struct tally t = {0};

		tally_add_json(&t, own);
		cases += t.given;
		if (n < STATUS_LIBRARIES)
			rows[n] = (struct tally_row){backend, t};
		n++;
	}
	status_rate(out, "cases", cases, status->ledger->seconds);
	buf_puts(out, ", by tasks that are over\n");
	put_newest(status, out);
	status_libraries(out, rows, n);
	json_decref(counts);
}

static int name_width(const struct campaign_order *o)
{
	size_t width = sizeof "method and backend" - 1;

	for (size_t i = 0; i < o->n && i < SHOWN_LINES; i++) {
		char name[NAME];

		order_name(o, i, name, sizeof name);
		width = strlen(name) > width ? strlen(name) : width;
	}
	return width < WIDEST_NAME ? (int)width : WIDEST_NAME;
}

static void put_line(const struct lead_status *status, size_t line, int width, struct buf *out)
{
	const struct shares_line *l = &status->lines[line];
	char name[NAME], coverage[FIGURE], stable[FIGURE];

	order_name(status->order, line, name, sizeof name);
	coverage_text(status->order, line, l->progress.coverage, coverage);
	stable_text(l->progress.repeats, l->progress.agreed, stable);
	buf_printf(out, "%-*.*s %4.0f %% %5lld %7.0f %8lld %8lld %13s %7s%s\n", width, width, PLAIN(name),
		   100 * status->order->lines[line].share, (long long)l->tasks, l->seconds[0] + l->seconds[1],
		   (long long)l->added, (long long)l->clusters, coverage, stable,
		   l->resting ? "  (no more tasks)" : "");
}

static void put_lines(const struct lead_status *status, struct buf *out)
{
	const struct campaign_order *o = status->order;
	int width = name_width(o);

	buf_printf(out, "%-*s %6s %5s %7s %8s %8s %13s %7s\n", width, "method and backend", "share", "tasks", "seconds",
		   "findings", "clusters", "best coverage", "stable");
	for (size_t i = 0; i < o->n && i < SHOWN_LINES; i++)
		put_line(status, i, width, out);
	if (o->n > SHOWN_LINES)
		buf_printf(out, "and %zu more\n", o->n - SHOWN_LINES);
}

static void draw(const struct lead_status *status, struct terminal_screen *s)
{
	struct buf text;

	buf_init(&text, MAX_SCREEN);
	buf_printf(&text, "time      %.0f of %.0f s; tasks: %zu running, %lld over\n", status->ledger->seconds,
		   status->order->seconds, status->running, (long long)status->over);
	put_counts(status, &text);
	put_lines(status, &text);
	terminal_screen_draw(s, &text);
	buf_release(&text);
}

static const char *state_words(enum ledger_state s)
{
	return s == LEDGER_OPEN ? "not done" : ledger_state_name(s);
}

/* "task 17: fuzz ort, seed 0, shard 18/1000: done in 300 s, 4 findings, 1 new cluster" */
static void print_task(const struct lead_status *status, FILE *out)
{
	const struct ledger_task *t = status->ended;
	char name[NAME];

	order_name(status->order, t->line, name, sizeof name);
	fprintf(out, "task %zu: %s, seed %lld, shard %lld/%lld: ", status->number, name, (long long)t->seed,
		(long long)t->split.at + 1, (long long)t->split.of);
	if (status->again)
		fprintf(out, "lost (%s), runs again\n", t->why);
	else
		fprintf(out, "%s in %.0f s, %lld finding%s, %lld new cluster%s%s%s\n", state_words(t->state),
			t->seconds, (long long)t->added, PLURAL(t->added), (long long)t->clusters, PLURAL(t->clusters),
			t->state > LEDGER_DONE ? ": " : "", t->state > LEDGER_DONE ? t->why : "");
}

void campaign_status_show(const struct lead_status *status, void *screen)
{
	struct terminal_screen *s = screen;
	double now = clock_now();

	if (log_level() == LOG_ERROR)
		return;
	if (status->ended && (!s->is_terminal || status->ended->state > LEDGER_DONE || status->again)) {
		FILE *out = plain_open(stderr);

		terminal_screen_clear(s);
		if (out) {
			print_task(status, out);
			fclose(out);
		}
	}
	if (!s->is_terminal || now - s->drawn < DRAW_SECONDS)
		return;
	s->drawn = now;
	draw(status, s);
}

/* ---- at the end -------------------------------------------------------------------------------------------------- */

static long long number(const json_t *o, const char *key)
{
	return (long long)json_integer_value(json_object_get(o, key));
}

/* What each line of the campaign was given, and what it found. */
static void print_lines(FILE *out, const struct campaign_order *o, const json_t *lines)
{
	static const struct term_column columns[LINE_COLUMNS] = {{"method and backend", 0, 12},
								 {"share %", 1, 0},
								 {"tasks", 1, 0},
								 {"seconds", 1, 0},
								 {"findings", 1, 0},
								 {"clusters", 1, 0},
								 {"best coverage", 1, 0},
								 {"stable", 1, 0}};
	char(*text)[LINE_COLUMNS][NAME] = mem_array(o->n + 1, sizeof *text);
	const char **cells = mem_array(LINE_COLUMNS * o->n + 1, sizeof *cells);

	for (size_t i = 0; text && cells && i < o->n; i++) {
		const json_t *l = json_array_get(lines, i), *coverage = json_object_get(l, "coverage");

		order_name(o, i, text[i][0], NAME);
		snprintf(text[i][1], NAME, "%.0f", 100 * o->lines[i].share);
		snprintf(text[i][2], NAME, "%lld", number(l, "tasks"));
		snprintf(text[i][3], NAME, "%.0f",
			 json_number_value(json_object_get(l, "seconds_by_share")) +
				 json_number_value(json_object_get(l, "seconds_by_finds")));
		snprintf(text[i][4], NAME, "%lld", number(l, "findings"));
		snprintf(text[i][5], NAME, "%lld", number(l, "clusters"));
		coverage_text(o, i, json_is_number(coverage) ? json_number_value(coverage) : NAN, text[i][6]);
		stable_text(number(l, "repeats"), number(l, "agreed"), text[i][7]);
		for (size_t k = 0; k < LINE_COLUMNS; k++)
			cells[LINE_COLUMNS * i + k] = text[i][k];
	}
	if (text && cells)
		terminal_table(out, columns, LINE_COLUMNS, cells, o->n, terminal_columns(out));
	mem_free(cells);
	mem_free(text);
}

static void print_findings(FILE *out, const json_t *findings)
{
	const char *backend, *verdict;
	json_t *own, *n;

	json_object_foreach((json_t *)findings, backend, own)
	{
		const char *between = "";

		fprintf(out, "findings of %s: ", backend);
		json_object_foreach(own, verdict, n)
		{
			fprintf(out, "%s%s %lld", between, verdict, (long long)json_integer_value(n));
			between = ", ";
		}
		fputc('\n', out);
	}
}

void campaign_status_summary(FILE *out, const struct campaign_order *o, const json_t *summary)
{
	const json_t *tasks = json_object_get(summary, "tasks");

	fprintf(out, "%.0f s in %lld run%s; tasks: %lld done, %lld failed, %lld lost, %lld to go on with\n",
		json_number_value(json_object_get(summary, "seconds")), number(summary, "runs"),
		PLURAL(number(summary, "runs")), number(tasks, "done"), number(tasks, "failed"), number(tasks, "lost"),
		number(tasks, "running") + number(tasks, "open"));
	print_lines(out, o, json_object_get(summary, "lines"));
	print_findings(out, json_object_get(summary, "findings"));
	fprintf(out, "clusters: %lld; the store is '%s'\n", number(summary, "clusters"),
		json_text_at(summary, "store"));
}
