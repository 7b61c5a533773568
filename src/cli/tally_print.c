/* tally_print.c - see tally_print.h. */
#include "cli/tally_print.h"

#include "base/log.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "worker/parent/spec.h"

#define MAX_TABLE ((size_t)1 << 20)

static void warn(const struct tally_row *row)
{
	const struct tally_row shown = {SHOWN_AS(row->backend), row->tally};
	struct buf text;

	buf_init(&text, MAX_TABLE);
	tally_warning(&shown, &text);
	log_print(LOG_WARNING, "warning: %s", text.data ? text.data : "");
	buf_release(&text);
}

/* The same rows, with the names that tables say. */
static void put_table(FILE *out, const struct tally_row *rows, size_t n)
{
	struct tally_row *shown = mem_array(n, sizeof *shown);
	char(*room)[SPEC_SHOWN] = mem_array(n, sizeof *room);
	struct buf text;

	buf_init(&text, MAX_TABLE);
	for (size_t i = 0; i < n && shown && room; i++)
		shown[i] = (struct tally_row){spec_shown(rows[i].backend, room[i]), rows[i].tally};
	tally_text(shown && room ? shown : rows, n, &text);
	fprintf(out, "%s", text.data ? text.data : "");
	buf_release(&text);
	mem_free(room);
	mem_free(shown);
}

int tally_print(FILE *out, const struct tally_row *rows, size_t n, int status)
{
	if (out)
		put_table(out, rows, n);
	for (size_t i = 0; i < n; i++)
		if (tally_is_hollow(&rows[i].tally)) {
			warn(&rows[i]);
			status = status == CLI_OK || status == CLI_EXPLAINED ? CLI_HOLLOW : status;
		} else if (rows[i].tally.explained) {
			status = status == CLI_OK ? CLI_EXPLAINED : status;
		}
	return status;
}
