/* backends_list.c - assay backends list and remove. */
#include <stdio.h>
#include <string.h>

#include "cli/backends.h"

/* What both forms of the list are made from. */
struct backends_listing {
	struct spec_installed_list installed;
	struct lock_list locks;
};

static int gather(struct backends_listing *l, struct err *e)
{
	int rc = spec_find_installed(NULL, &l->installed, e);

	if (rc)
		return rc;
	rc = install_read_locks(&l->locks, e);
	if (rc)
		spec_installed_release(&l->installed);
	return rc;
}

static void release(struct backends_listing *l)
{
	spec_installed_release(&l->installed);
	install_locks_release(&l->locks);
}

static const char *folder_of(const struct backends_listing *l, const char *name, const char *version)
{
	for (size_t i = 0; i < l->installed.n; i++)
		if (!strcmp(l->installed.at[i].name, name) && !strcmp(l->installed.at[i].version, version))
			return l->installed.at[i].folder;
	return NULL;
}

/* What a worker of this library is started with unless the user says otherwise, words "name=value". */
static const char *defaults_of(const char *name)
{
	const struct spec_backend *b = spec_find(name);

	return b ? b->options : "";
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *option_sets_json(const char *name)
{
	json_t *list = json_array();

	for (const struct spec_option_set *o = spec_option_sets; o->name; o++)
		if (!strcmp(o->backend, name))
			json_array_append_new(list, json_sprintf("%s:%s", name, o->name));
	return list;
}

static json_t *installed_json(const struct backends_listing *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->installed.n; i++) {
		const struct spec_installed *b = &l->installed.at[i];

		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:I, s:s, s:o}", "name", json_text(b->name),
						      "version", json_text(b->version), "path", json_text(b->folder),
						      "bytes", (json_int_t)place_tree_bytes(b->folder), "options",
						      defaults_of(b->name), "option_sets", option_sets_json(b->name)));
	}
	return list;
}

static json_t *available_json(const struct backends_listing *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->locks.n; i++) {
		const struct lock *k = &l->locks.at[i];
		json_t *versions = json_array();

		for (size_t v = 0; v < k->versions.n; v++)
			json_array_append_new(
				versions, json_pack("{s:s, s:I, s:b}", "version", k->versions.at[v].version, "bytes",
						    (json_int_t)lock_bytes(&k->versions.at[v]), "installed",
						    folder_of(l, k->name, k->versions.at[v].version) != NULL));
		json_array_append_new(list,
				      json_pack("{s:s, s:o, s:o, s:o}", "name", k->name, "title", json_text(k->title),
						"versions", versions, "option_sets", option_sets_json(k->name)));
	}
	return list;
}

static json_t *absent_json(void)
{
	json_t *list = json_array();
	struct err why = ERR_INIT;

	for (const struct spec_backend *b = spec_backends; b->name; b++)
		if (spec_is_absent(b->name, &why))
			json_array_append_new(list,
					      json_pack("{s:s, s:o}", "name", b->name, "reason", json_text(why.msg)));
	return list;
}

static json_t *listing_json(const struct backends_listing *l)
{
	return json_pack("{s:o, s:o, s:o}", "installed", installed_json(l), "available", available_json(l), "absent",
			 absent_json());
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_option_sets(FILE *out, const char *name)
{
	for (const struct spec_option_set *o = spec_option_sets; o->name; o++)
		if (!strcmp(o->backend, name))
			fprintf(out, "  %s:%s", name, o->name);
}

static void print_absent(FILE *out)
{
	struct err why = ERR_INIT;
	int n = 0;

	for (const struct spec_backend *b = spec_backends; b->name; b++)
		if (spec_is_absent(b->name, &why))
			fprintf(out, "%s  %-13s %s: %s\n", n++ ? "" : "not for this machine:\n", b->name, b->summary,
				why.msg);
}

static int has_earlier(const struct spec_installed_list *l, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(l->at[k].name, l->at[i].name))
			return 1;
	return 0;
}

/* "" or what `check` starts it with in place of the defaults: spec_list_own(). */
static const char *own_of(const char *name)
{
	for (const struct spec_option_set *o = spec_option_sets; o->name; o++)
		if (!strcmp(o->backend, name) && !strcmp(o->name, "own"))
			return o->options;
	return "";
}

/* A library may be set to something else than what its users get: that must not be hidden. */
static void print_defaults(FILE *out, const struct spec_installed_list *l)
{
	int n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const char *name = l->at[i].name, *own = own_of(name);

		if (*defaults_of(name) && !has_earlier(l, i))
			fprintf(out, "%s  %-13s %s%s%s\n",
				n++ ? "" : "started with ('-b NAME:OPTION=VALUE' changes one):\n", name,
				defaults_of(name), *own ? ", by check with " : "", own);
	}
}

static void print_text(FILE *out, const struct backends_listing *l)
{
	char size[32];

	fprintf(out, "installed:%s\n", l->installed.n ? "" : " nothing");
	for (size_t i = 0; i < l->installed.n; i++) {
		const struct spec_installed *b = &l->installed.at[i];

		fprintf(out, "  %-13s %-14s %12s  %s", b->name, b->version,
			backends_size_text(place_tree_bytes(b->folder), size, sizeof size), b->folder);
		print_option_sets(out, b->name);
		fputc('\n', out);
	}
	print_defaults(out, &l->installed);
	fprintf(out, "can be installed ('assay backends install NAME[@VERSION]'; * is here):%s\n",
		l->locks.n ? "" : " nothing");
	for (size_t i = 0; i < l->locks.n; i++) {
		const struct lock *k = &l->locks.at[i];

		fprintf(out, "  %-13s %s,", k->name, k->title);
		for (size_t v = 0; v < k->versions.n; v++)
			fprintf(out, " %s%s", k->versions.at[v].version,
				folder_of(l, k->name, k->versions.at[v].version) ? "*" : "");
		fprintf(out, " (%s)\n", backends_size_text(lock_bytes(&k->versions.at[0]), size, sizeof size));
	}
}

int backends_list(struct cli *c, const struct texts *names, void *options, struct err *e)
{
	const struct backends_options *o = options;
	struct backends_listing l = {0};
	int rc = names->n ? err_set(e, ERR_USAGE, "backends list takes no name") : gather(&l, e);

	if (rc)
		return rc;
	if (o->json) {
		rc = cli_print_json(c->out, listing_json(&l));
	} else {
		print_text(c->out, &l);
		print_absent(c->out);
	}
	release(&l);
	return rc;
}

/* ---- remove ------------------------------------------------------------------------------------------------------ */

static void tell_removed(FILE *out, json_t *list, const struct spec_installed *l)
{
	if (list)
		json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "name", json_text(l->name), "version",
						      json_text(l->version), "path", json_text(l->folder)));
	else
		fprintf(out, "%s@%s: removed '%s'\n", l->name, l->version, l->folder);
}

int backends_remove(struct cli *c, const struct texts *names, void *options, struct err *e)
{
	const struct backends_options *o = options;
	json_t *list = o->json ? json_array() : NULL;
	struct spec_installed_list l = VEC_INIT;
	int rc = spec_find_installed(NULL, &l, e);

	if (!rc)
		rc = backends_check_names(names, &l, e);
	for (size_t i = 0; !rc && i < l.n; i++) {
		if (!backends_is_named(names, &l.at[i]))
			continue;
		rc = install_remove(l.at[i].folder, e);
		if (!rc)
			tell_removed(c->out, list, &l.at[i]);
	}
	if (!rc && list)
		rc = cli_print_json(c->out, json_pack("{s:O}", "removed", list));
	json_decref(list);
	spec_installed_release(&l);
	return rc;
}
