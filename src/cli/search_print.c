/* search_print.c - see search_print.h. */
#include "cli/search_print.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/plain.h"
#include "cli/cli.h"
#include "cli/terminal.h"

/* ---- a model ----------------------------------------------------------------------------------------------------- */

static void print_nan_sources(FILE *out, json_t *sources)
{
	const char *op, *between = "  NaN comes from";
	json_t *n;

	json_object_foreach(sources, op, n)
	{
		fprintf(out, "%s %s %lld", between, op, (long long)json_integer_value(n));
		between = ",";
	}
	if (json_object_size(sources))
		fputc('\n', out);
}

void search_print_model(FILE *out, const struct search_model_report *r)
{
	fprintf(out, "%s: %zu node%s\n", r->model, r->nodes, PLURAL(r->nodes));
	cli_tell_sizes(out, r->sizes, NULL);
	fprintf(out, "  %-8s %6s %6s %6s %6s %6s %8s %8s  %5s %9s %10s\n", "level", "cases", "crash", "NaN", "incons.",
		"far", "accepted", "refused", "bug", "precision", "cases/s");
	for (int i = 0; i < SEARCH_LEVELS; i++) {
		const struct search_counts *c = &r->result->levels[i];

		if (!c->cases)
			continue;
		fprintf(out, "  %-8s %6zu %6zu %6zu %6zu %6zu %8zu %8zu  %5zu %9zu %10.1f\n", search_level_names[i],
			c->cases, c->crash, c->nan, c->inconsistent, c->distance, c->accepted, c->refused,
			c->by_class[SEARCH_BUG], c->by_class[SEARCH_PRECISION],
			c->seconds > 0 ? (double)c->cases / c->seconds : 0);
	}
	fputs("  incons.: libraries name other classes; far: the same class, other numbers ('assay explain search')\n",
	      out);
	print_nan_sources(out, r->nan_sources);
	if (r->result->out_of_time)
		fprintf(out, "  ended before all cases were made\n");
}

/* ---- a finding --------------------------------------------------------------------------------------------------- */

static void print_line(FILE *out, const char *head, const char *text)
{
	char line[1400];

	if (!*text)
		return;
	snprintf(line, sizeof line, "%s%s", head, text);
	terminal_wrap(out, 2, 2, terminal_columns(out), line);
}

void search_print_finding(FILE *out, const json_t *f)
{
	json_int_t id = json_integer_value(json_object_get(f, "id"));
	const json_t *s;
	size_t i;

	fprintf(out, "%s, %s level: %s is %s (%s)\n", json_text_at(f, "model"), json_text_at(f, "level"),
		json_text_at(f, "backend"), json_text_at(f, "verdict"), json_text_at(f, "class"));
	print_line(out, "", json_text_at(f, "reason"));
	print_line(out, "network: ", json_text_at(f, "edits"));
	if (strcmp(json_text_at(f, "smallest"), json_text_at(f, "edits")) != 0)
		print_line(out, "enough for it: ", json_text_at(f, "smallest"));
	print_line(out, "", json_text_at(f, "evidence"));
	json_array_foreach(json_object_get(f, "blame"), i, s)
	{
		char line[600];

		snprintf(line, sizeof line, "%s '%s'%s%s", PLAIN(json_text_at(s, "op")), PLAIN(json_text_at(s, "node")),
			 *json_text_at(s, "parameter") ? ", " : "", PLAIN(json_text_at(s, "parameter")));
		print_line(out, "blamed: ", line);
	}
	if (id)
		fprintf(out, "  finding %lld: %s\nrepro: %s\n", (long long)id, json_text_at(f, "signature"),
			json_text_at(f, "repro"));
}
