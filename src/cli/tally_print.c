/* tally_print.c - see tally_print.h. */
#include "cli/tally_print.h"

#include "base/log.h"
#include "cli/cli.h"

#define MAX_TABLE ((size_t)1 << 20)

static void warn(const struct tally_row *row)
{
	struct buf text;

	buf_init(&text, MAX_TABLE);
	tally_warning(row, &text);
	log_print(LOG_WARNING, "warning: %s", text.data ? text.data : "");
	buf_release(&text);
}

int tally_print(FILE *out, const struct tally_row *rows, size_t n, int status)
{
	struct buf text;

	buf_init(&text, MAX_TABLE);
	tally_text(rows, n, &text);
	if (out)
		fprintf(out, "%s", text.data ? text.data : "");
	buf_release(&text);
	for (size_t i = 0; i < n; i++)
		if (tally_is_hollow(&rows[i].tally)) {
			warn(&rows[i]);
			status = status == CLI_OK || status == CLI_EXPLAINED ? CLI_HOLLOW : status;
		} else if (rows[i].tally.explained) {
			status = status == CLI_OK ? CLI_EXPLAINED : status;
		}
	return status;
}
