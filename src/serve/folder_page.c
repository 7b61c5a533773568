/* folder_page.c - a campaign's folder for people and programs (see internal.h). */
#include "base/buf.h"
#include "base/json.h"
#include "report/html.h"
#include "serve/internal.h"

#define MOST_LINES 500
#define MOST_TASKS 50
#define MOST_WHY 200 /* characters */

static double a_minute(size_t cases, double seconds)
{
	return seconds > 0 ? 60 * (double)cases / seconds : 0;
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void put_head(struct buf *out, const char *label, const char *const *columns, size_t n)
{
	buf_printf(out,
		   "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n"
		   "<table class=\"matrix\"><thead><tr>",
		   label);
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "<th scope=\"col\">%s</th>", columns[i]);
	buf_puts(out, "</tr></thead>\n<tbody>\n");
}

static void put_end(struct buf *out, size_t left, const char *of_what)
{
	buf_puts(out, "</tbody></table></div>\n");
	if (left)
		buf_printf(out, "<p>And %zu more %s.</p>\n", left, of_what);
}

static void put_count(struct buf *out, long long n)
{
	buf_printf(out, "<td class=\"num\">%lld</td>", n);
}

static void put_state(const struct folder_view *v, struct buf *out)
{
	char spent[32], all[32], when[32];
	size_t tasks[FOLDER_STATES] = {0};

	for (size_t i = 0; i < v->lines.n; i++)
		for (int s = 0; s < FOLDER_STATES; s++)
			tasks[s] += v->lines.at[i].tasks[s];
	buf_printf(out,
		   "<p id=\"course\"><b>%s</b>: %s of %s, %lld run%s. Tasks:", v->running ? "Running" : "Not running",
		   text_duration(v->seconds, spent), text_duration(v->time, all), (long long)v->runs, PLURAL(v->runs));
	for (int s = 0; s < FOLDER_STATES; s++)
		buf_printf(out, "%s %zu %s", s ? "," : "", tasks[s],
			   s == FOLDER_RUNNING && !v->running ? "to go on with" : folder_state_names[s]);
	buf_printf(out, ". Last written %s.</p>\n", text_time(v->written, when));
}

static void put_line(const struct folder_line *l, struct buf *out)
{
	buf_puts(out, "<tr>");
	html_element(out, "th", "", l->method);
	html_element(out, "td", "", l->backend);
	buf_printf(out, "<td class=\"num\">%.0f %%</td>", 100 * l->share);
	for (int s = 0; s < FOLDER_STATES; s++)
		put_count(out, (long long)l->tasks[s]);
	buf_printf(out, "<td class=\"num\">%.0f</td>", l->seconds);
	put_count(out, (long long)l->cases);
	buf_printf(out, "<td class=\"num\">%.0f</td>", a_minute(l->cases, l->seconds));
	put_count(out, (long long)l->findings);
	put_count(out, (long long)l->clusters);
	buf_puts(out, "</tr>\n");
}

static void put_lines(const struct folder_view *v, struct buf *out)
{
	static const char *const columns[] = {"Method",         "Backend",  "Share",       "Running", "Open",
					      "Done",           "Failed",   "Lost",        "Seconds", "Cases",
					      "Cases a minute", "Findings", "New clusters"};
	size_t n = v->lines.n < MOST_LINES ? v->lines.n : MOST_LINES;

	put_head(out, "Methods and backends", columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < n; i++)
		put_line(&v->lines.at[i], out);
	put_end(out, v->lines.n - n, "lines");
}

static void put_counts(const struct folder_view *v, struct buf *out)
{
#define X(name, heading) heading,
	static const char *const columns[] = {"Backend", TALLY_MAP(X)};
#undef X
	size_t n = v->counts.n < MOST_LINES ? v->counts.n : MOST_LINES;

	if (!n)
		return;
	buf_puts(out, "<h3>Cases of tasks that are over</h3>\n");
	put_head(out, "Cases by backend", columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < n; i++) {
		const struct tally *t = &v->counts.at[i].tally;

		buf_puts(out, "<tr>");
		html_element(out, "th", "", v->counts.at[i].backend);
#define X(name, heading) put_count(out, (long long)t->name);
		TALLY_MAP(X)
#undef X
		buf_puts(out, "</tr>\n");
	}
	put_end(out, v->counts.n - n, "backends");
}

static void put_task(const struct folder_view *v, size_t number, struct buf *out)
{
	const struct folder_task *t = &v->tasks.at[number];
	const struct folder_line *l = &v->lines.at[t->line];

	buf_printf(out, "<tr><th scope=\"row\">%zu</th><td>", number);
	text_put(out, l->method);
	buf_puts(out, " ");
	text_put(out, l->backend);
	buf_printf(out, "</td><td class=\"num\">%lld</td><td class=\"num\">%lld/%lld</td><td>%s</td>",
		   (long long)t->seed, (long long)t->shard, (long long)t->shards, folder_state_names[t->state]);
	put_count(out, (long long)t->starts);
	buf_printf(out, "<td class=\"num\">%.0f</td>", t->seconds);
	put_count(out, (long long)t->findings);
	put_count(out, (long long)t->clusters);
	html_element(out, "td", "", t->host);
	buf_puts(out, "<td>");
	text_put_short(out, t->why, MOST_WHY);
	buf_puts(out, "</td></tr>\n");
}

/* Those that began last, the last one first. */
static void put_tasks(const struct folder_view *v, struct buf *out)
{
	static const char *const columns[] = {
		"Task",    "Method and backend", "Seed",         "Shard", "State", "Starts",
		"Seconds", "Findings",           "New clusters", "Host",  "Why"};
	size_t n = v->tasks.n < MOST_TASKS ? v->tasks.n : MOST_TASKS;

	if (!n)
		return;
	buf_puts(out, "<h3>Tasks that began last</h3>\n");
	put_head(out, "Tasks", columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < n; i++)
		put_task(v, v->tasks.n - 1 - i, out);
	put_end(out, v->tasks.n - n, "tasks before these");
}

void folder_page(const char *folder, struct buf *out)
{
	struct err e = ERR_INIT;
	struct folder_view v;

	buf_puts(out, "<section id=\"tasks\" aria-labelledby=\"tasks-title\">\n"
		      "<h2 id=\"tasks-title\">Tasks</h2>\n");
	if (folder_read(folder, &v, &e)) {
		html_element(out, "p", "failed", e.msg);
	} else {
		put_state(&v, out);
		put_lines(&v, out);
		put_counts(&v, out);
		put_tasks(&v, out);
		folder_release(&v);
	}
	buf_puts(out, "</section>\n");
}

/* ---- for programs ------------------------------------------------------------------------------------------------ */

static json_t *states_json(const size_t tasks[FOLDER_STATES])
{
	json_t *out = json_object();

	for (int s = 0; s < FOLDER_STATES; s++)
		json_object_set_new(out, folder_state_names[s], json_integer((json_int_t)tasks[s]));
	return out;
}

static json_t *line_json(const struct folder_line *l)
{
	return json_pack("{s:o, s:o, s:f, s:o, s:f, s:I, s:f, s:I, s:I}", "method", json_text(l->method), "backend",
			 json_text(l->backend), "share", l->share, "tasks", states_json(l->tasks), "seconds",
			 l->seconds, "cases", (json_int_t)l->cases, "cases_a_minute", a_minute(l->cases, l->seconds),
			 "findings", (json_int_t)l->findings, "clusters", (json_int_t)l->clusters);
}

static json_t *task_json(const struct folder_view *v, size_t number)
{
	const struct folder_task *t = &v->tasks.at[number];

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:s, s:I, s:f, s:I, s:I, s:o, s:o}", "number", (json_int_t)number,
			 "line", (json_int_t)t->line, "seed", (json_int_t)t->seed, "shard", (json_int_t)t->shard,
			 "shards", (json_int_t)t->shards, "state", folder_state_names[t->state], "starts",
			 (json_int_t)t->starts, "seconds", t->seconds, "findings", (json_int_t)t->findings, "clusters",
			 (json_int_t)t->clusters, "host", json_text(t->host), "why", json_text(t->why));
}

json_t *folder_json(const char *folder, struct err *e)
{
	json_t *lines, *tasks, *out;
	struct folder_view v;

	if (folder_read(folder, &v, e))
		return NULL;
	lines = json_array();
	for (size_t i = 0; i < v.lines.n; i++)
		json_array_append_new(lines, line_json(&v.lines.at[i]));
	tasks = json_array();
	for (size_t i = 0; i < v.tasks.n; i++)
		json_array_append_new(tasks, task_json(&v, i));
	out = json_pack("{s:b, s:f, s:f, s:f, s:I, s:o, s:o, s:o}", "running", v.running, "written", v.written, "time",
			v.time, "seconds", v.seconds, "runs", (json_int_t)v.runs, "lines", lines, "counts",
			tally_rows_json(v.counts.at, v.counts.n), "tasks", tasks);
	folder_release(&v);
	if (!out)
		err_nomem(e, "a campaign", 0);
	return out;
}
