/* complete.c - words that may follow, for shell completion (declared in cli.h). */
#include <string.h>

#include "base/near.h"
#include "cli/cli.h"
#include "faults/fault.h"
#include "worker/parent/spec.h"
#include "zoo/zoo.h"

/* Options whose value is a backend, or several with commas between them. */
static int names_backends(const struct cli_option *o)
{
	return !strcmp(o->name, "backend") || !strcmp(o->name, "reference") || !strcmp(o->name, "baseline");
}

static void print_option_sets(FILE *out, const char *name, const char *version)
{
	for (const struct spec_option_set *o = spec_option_sets; o->name; o++)
		if (!strcmp(o->backend, name))
			fprintf(out, "%s%s%s:%s\t\n", name, *version ? "@" : "", version, o->name);
}

static void print_backends(FILE *out)
{
	struct spec_installed_list l = VEC_INIT;
	struct err ignored = ERR_INIT;
	const char *last = "";

	fputs("reference\tthe double-precision reference\n", out);
	if (!spec_find_installed(NULL, &l, &ignored))
		for (size_t i = 0; i < l.n; i++) {
			const struct spec_installed *b = &l.at[i];

			if (strcmp(b->name, last) != 0) {
				fprintf(out, "%s\t%s\n", b->name, b->version);
				print_option_sets(out, b->name, "");
			}
			fprintf(out, "%s@%s\t%s\n", b->name, b->version, b->folder);
			print_option_sets(out, b->name, b->version);
			last = b->name;
		}
	spec_installed_release(&l);
	for (const struct fault_row *f = fault_rows; f->name; f++)
		fprintf(out, "fault:%s\ta known defect\n", f->name);
}

static void print_words(FILE *out, const struct cli_word *w)
{
	for (const char *const *name = w->words; *name; name = near_next(name, w->stride))
		fprintf(out, "%s\t\n", *name);
}

static int is_asked(const struct cli_option *o, const char *word)
{
	if (!strncmp(word, "--", 2))
		return !strcmp(word + 2, o->name);
	return o->letter && word[0] == '-' && word[1] == o->letter && !word[2];
}

int cli_complete_value(const struct cli *c, const struct cli_option *options)
{
	const char *word = c->argc ? c->argv[c->argc - 1] : "";
	const struct cli_option *o = options;

	while (o->name && !(o->arg && is_asked(o, word)))
		o++;
	if (!o->name)
		return 0;
	if (names_backends(o))
		print_backends(c->out);
	if (o->type == CLI_WORD || o->type == CLI_WORDS || o->type == CLI_OR_FILE)
		print_words(c->out, o->to);
	if (strstr(o->arg, "FILE") || strstr(o->arg, "DIR"))
		fputs(CLI_COMPLETE_FILES, c->out);
	return 1;
}

void cli_complete_networks(const struct cli *c)
{
	for (const struct zoo_row *row = zoo_rows; row->name; row++)
		fprintf(c->out, "%s\ta network of the zoo\n", row->name);
}
