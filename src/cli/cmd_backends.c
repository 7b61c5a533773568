/* cmd_backends.c - assay backends: libraries under test, what is here and what can be. */
#include <stdio.h>
#include <string.h>

#include "cli/backends.h"

int cmd_backends(struct cli *c);

#define NAME "the name of a library; 'assay backends list' shows them"

static const struct cli_action actions[] = {
	{"list", backends_list, 0, NULL, "what is installed and what can be (the default)"},
	{"install", backends_install, 1, NAME, "fetch, verify and unpack; without a version the lock file's first"},
	{"remove", backends_remove, 1, NAME, "remove installed libraries"},
	{"doctor", backends_doctor, 0, NULL, "self-test of installed libraries: what is wrong, and how to fix it"},
	{0},
};

static const char notes[] =
	"subcommands:\n"
	"  list                       what is installed, and what can be (the default)\n"
	"  install NAME[@VERSION]…    fetch, verify and unpack; 'NAME' is its first locked version, 'NAME@all' all of\n"
	"                             them, 'all' the first version of every library\n"
	"  remove NAME[@VERSION]…     remove one version, or all of a library's\n"
	"  doctor [NAME[@VERSION]…]   start each worker, compare two small models with the reference; what is wrong, "
	"and\n"
	"                             how to fix it\n"
	"\n"
	"Packages come from the Python and Maven registries through pip and mvn, as they are configured here, and are\n"
	"kept in $ASSAY_CACHE (~/.cache/assay/packages). See docs/backends.md.\n";

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

int backends_is_named(const struct texts *all, const struct spec_installed *l)
{
	for (size_t i = 0; i < all->n; i++)
		if (names(all->at[i], l))
			return 1;
	return !all->n;
}

int backends_check_names(const struct texts *all, const struct spec_installed_list *l, struct err *e)
{
	for (size_t i = 0; i < all->n; i++) {
		struct err why = ERR_INIT;
		size_t k = 0;

		while (k < l->n && !names(all->at[i], &l->at[k]))
			k++;
		if (k == l->n && !spec_is_absent(all->at[i], &why))
			return err_set(e, ERR_USAGE, "'%s' is not installed; 'assay backends list' shows what is",
				       all->at[i]);
	}
	return 0;
}

const char *backends_size_text(uint64_t bytes, char *out, size_t size)
{
	snprintf(out, size, "%.1f MiB", (double)bytes / (1 << 20));
	return out;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

/* Words that may follow: subcommands, then what can be installed, or what is installed. */
static void complete(const struct cli *c)
{
	struct spec_installed_list installed = VEC_INIT;
	struct lock_list locks = VEC_INIT;
	struct err ignored = ERR_INIT;

	cli_complete_actions(c, actions);
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
	struct backends_options o = {0};
	struct cli_actions all = {actions, &o};
	const struct cli_option options[] = {
		{0, "json", NULL, CLI_FLAG, &o.json, "print the result as JSON"},
		{0, "root", "DIR", CLI_STRING, &o.root, "install into DIR/<name>/<version>"},
		{0, "unlocked", NULL, CLI_FLAG, &o.unlocked,
		 "install: also versions without a lock; prints their digests"},
		{0, "force", NULL, CLI_FLAG, &o.force, "install: replace what is there"},
		{0, "offline", NULL, CLI_FLAG, &o.offline, "install: only from packages fetched before"},
		{0},
	};

	c->notes = notes;
	if (c->complete)
		complete(c);
	return cli_main(c, options, cli_act, &all);
}
