/* cmd_faults.c - assay faults: the catalogue behind the backends fault:NAME. */
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "cli/cli.h"
#include "faults/fault.h"

int cmd_faults(struct cli *c);

static int matches(const struct fault_row *row, const struct texts *patterns)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (strcasestr(row->name, patterns->at[i]))
			return 1;
	return !patterns->n;
}

/* "Conv, Gemm", or "all". */
static const char *operators_text(const struct fault *f, struct buf *b)
{
	buf_clear(b);
	for (size_t i = 0; f->ops && f->ops[i]; i++)
		buf_printf(b, "%s%s", i ? ", " : "", f->ops[i]);
	return f->ops && b->data ? b->data : "all";
}

static json_t *row_json(const struct fault_row *row)
{
	json_t *ops = json_array();

	for (size_t i = 0; row->fault->ops && row->fault->ops[i]; i++)
		json_array_append_new(ops, json_string(row->fault->ops[i]));
	return json_pack("{s:s, s:s, s:o, s:s, s:s}", "name", row->name, "kind", fault_kind_name(row->fault->kind),
			 "operators", ops, "what", row->fault->what, "like", row->fault->like);
}

static size_t print_rows(FILE *out, const struct texts *patterns, json_t *list)
{
	struct buf text;
	size_t shown = 0;

	buf_init(&text, 4096);
	for (const struct fault_row *row = fault_rows; row->name; row++) {
		if (!matches(row, patterns))
			continue;
		shown++;
		if (list)
			json_array_append_new(list, row_json(row));
		else
			fprintf(out, "%-22s %-9s %s: %s\n%33s(%s)\n", row->name, fault_kind_name(row->fault->kind),
				operators_text(row->fault, &text), row->fault->what, "", row->fault->like);
	}
	if (!list)
		fprintf(out, "%zu faults\n", shown);
	buf_release(&text);
	return shown;
}

static int run(struct cli *c, const struct texts *patterns, void *arg, struct err *e)
{
	json_t *list = *(int *)arg ? json_array() : NULL;

	if (!print_rows(c->out, patterns, list) && patterns->n) {
		json_decref(list);
		return err_set(e, ERR_INPUT, "no fault has '%s' in its name%s", patterns->at[0],
			       NEAR_HINT(patterns->at[0], fault_rows));
	}
	return list ? cli_print_json(c->out, json_pack("{s:o}", "faults", list)) : CLI_OK;
}

int cmd_faults(struct cli *c)
{
	int json = 0;
	const struct cli_option options[] = {
		{0, "json", NULL, CLI_FLAG, &json, "print the catalogue as JSON"},
		{0},
	};

	c->notes = "A fault is a known defect that can be planted into the rounded reference: the backend fault:NAME "
		   "has it\n"
		   "in every node it applies to.  PATTERN is a part of a name.\n";
	return cli_main(c, options, run, &json);
}
