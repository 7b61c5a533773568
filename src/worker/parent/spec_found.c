/* spec_found.c - names of backends that stand in data: a finding.json, a row of a store.
 *
 * Who sends a bundle or a store must not thereby choose what is run or written here.  Such a name chooses among what
 * is installed and how it is run, and nothing else: no program (exec:), no file that is loaded (NAME=PATH), none that
 * an option has a worker read or write (save=PATH). */
#include <string.h>

#include "worker/parent/internal_spec.h"

int spec_names_file(const char *name)
{
	size_t n = strcspn(name, ":");

	if (spec_is_command(name) || memchr(name, '=', n))
		return 1;
	for (name += n; *name; name += n) {
		const char *part = ++name, *value;

		n = strcspn(part, "+");
		value = memchr(part, '=', n);
		if (value && memchr(value, '/', n - (size_t)(value - part)))
			return 1;
	}
	return 0;
}

int spec_make_found(const char *name, struct worker_spec *out, struct err *e)
{
	if (!spec_names_file(name))
		return spec_make(name, out, e);
	return err_set(e, ERR_USAGE,
		       "backend '%s' names a program or a file and was not typed: it is started when -b says so", name);
}

void spec_type(const char *name, struct buf *out)
{
	if (!spec_names_file(name))
		return;
	buf_puts(out, " -b ");
	buf_quote(out, name);
}
