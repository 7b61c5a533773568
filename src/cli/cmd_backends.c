/* cmd_backends.c - assay backends: libraries under test, what is here and what can be. */
#include <stdio.h>
#include <string.h>

#include "cli/backends.h"

int cmd_backends(struct cli *c);

static const struct {
	const char *name;
	int (*run)(const struct backends_call *c);
	size_t least; /* names it needs */
	const char *summary;
} subcommands[] = {
	{"list", backends_list, 0, "what is installed and what can be (the default)"},
	{"install", backends_install, 1, "fetch, verify and unpack; without a version the lock file's first"},
	{"remove", backends_remove, 1, "remove installed libraries"},
	{"doctor", backends_doctor, 0, "self-test of installed libraries: what is wrong, and how to mend it"},
};

#define N_SUBCOMMANDS (sizeof subcommands / sizeof *subcommands)

static const char notes[] =
	"subcommands:\n"
	"  list                       what is installed, and what can be (the default)\n"
	"  install NAME[@VERSION]…    fetch, verify and unpack; 'NAME' is its first locked version, 'NAME@all' all of\n"
	"                             them, 'all' the first version of every library\n"
	"  remove NAME[@VERSION]…     remove one version, or all of a library's\n"
	"  doctor [NAME[@VERSION]…]   start each worker, compare two small models with the reference; what is wrong, "
	"and\n"
	"                             how to mend it\n"
	"\n"
	"Packages come from the Python and Maven registries through pip and mvn, as they are configured here, and are\n"
	"kept in $ASSAY_CACHE (~/.cache/assay/packages). docs/backends.md tells more.\n";

/* ---- shared by the subcommands ----------------------------------------------------------------------------------- */

int backend_name_split(const char *text, struct backend_name *out, struct err *e)
{
	size_t n = strcspn(text, "@");

	if (!n || n >= sizeof out->name)
		return err_set(e, ERR_USAGE, "'%s' names no library", text);
	memcpy(out->name, text, n);
	out->name[n] = '\0';
	out->version = text[n] ? text + n + 1 : NULL;
	if (out->version && !*out->version)
		return err_set(e, ERR_USAGE, "'%s' names no version after the @", text);
	return 0;
}

static int names(const char *text, const struct spec_installed *l)
{
	struct err ignored = ERR_INIT;
	struct backend_name n;

	return !backend_name_split(text, &n, &ignored) && !strcmp(n.name, l->name) &&
	       (!n.version || !strcmp(n.version, l->version));
}

int backends_is_named(const struct backends_call *c, const struct spec_installed *l)
{
	for (size_t i = c->first; i < c->names->n; i++)
		if (names(c->names->at[i], l))
			return 1;
	return c->first >= c->names->n;
}

int backends_check_names(const struct backends_call *c, const struct spec_installed_list *l, struct err *e)
{
	for (size_t i = c->first; i < c->names->n; i++) {
		struct err why = ERR_INIT;
		size_t k = 0;

		while (k < l->n && !names(c->names->at[i], &l->at[k]))
			k++;
		if (k == l->n && !spec_is_absent(c->names->at[i], &why))
			return err_set(e, ERR_USAGE, "'%s' is not installed; 'assay backends list' shows what is",
				       c->names->at[i]);
	}
	return 0;
}

const char *backends_size_text(uint64_t bytes, char *out, size_t size)
{
	snprintf(out, size, "%.1f MiB", (double)bytes / (1 << 20));
	return out;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static int run(struct backends_call *call)
{
	struct err e = ERR_INIT;
	size_t i = 0;

	while (call->names->n && i < N_SUBCOMMANDS && strcmp(subcommands[i].name, call->names->at[0]))
		i++;
	call->first = call->names->n ? 1 : 0;
	if (i == N_SUBCOMMANDS)
		err_set(&e, ERR_USAGE, "backends has no '%s'; see 'assay help backends'", call->names->at[0]);
	else if (call->names->n < call->first + subcommands[i].least)
		err_set(&e, ERR_USAGE, "backends %s needs the name of a library; 'assay backends list' shows them",
			subcommands[i].name);
	else
		return subcommands[i].run(call);
	return cli_fail(&e);
}

/* Words that may follow: subcommands, then what can be installed, or what is installed. */
static void complete(const struct cli *c)
{
	struct spec_installed_list installed = VEC_INIT;
	struct lock_list locks = VEC_INIT;
	struct err ignored = ERR_INIT;

	for (size_t i = 0; !c->argc && i < N_SUBCOMMANDS; i++)
		fprintf(c->out, "%s\t%s\n", subcommands[i].name, subcommands[i].summary);
	if (c->argc && !strcmp(c->argv[0], "install") && !install_read_locks(&locks, &ignored))
		for (size_t i = 0; i < locks.n; i++)
			for (size_t v = 0; v < locks.at[i].versions.n; v++)
				fprintf(c->out, "%s@%s\t%s\n", locks.at[i].name, locks.at[i].versions.at[v].version,
					locks.at[i].title);
	if (c->argc && strcmp(c->argv[0], "install") && !spec_find_installed(NULL, &installed, &ignored))
		for (size_t i = 0; i < installed.n; i++)
			fprintf(c->out, "%s@%s\t%s\n", installed.at[i].name, installed.at[i].version,
				installed.at[i].folder);
	install_locks_release(&locks);
	spec_installed_release(&installed);
}

int cmd_backends(struct cli *c)
{
	struct texts rest = {0};
	struct backends_call call = {.out = c->out, .names = &rest};
	const struct cli_option options[] = {
		{0, "json", NULL, CLI_FLAG, &call.json, "print the result as JSON"},
		{0, "root", "DIR", CLI_STRING, &call.root, "install into DIR/<name>/<version>"},
		{0, "unlocked", NULL, CLI_FLAG, &call.unlocked,
		 "install: also versions without a lock; prints their digests"},
		{0, "force", NULL, CLI_FLAG, &call.force, "install: replace what is there"},
		{0, "offline", NULL, CLI_FLAG, &call.offline, "install: only from packages fetched before"},
		{0},
	};
	struct err e = ERR_INIT;
	int rc, status;

	c->notes = notes;
	if (c->complete)
		complete(c);
	rc = cli_parse(c, options, &rest, &e);
	if (rc)
		return cli_parse_status(rc, &e);
	status = run(&call);
	vec_release(&rest);
	return status;
}
