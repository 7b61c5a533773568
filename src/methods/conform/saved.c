/* saved.c - results that `assay conform --json` printed, read again (declared in conform.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "methods/conform/conform.h"
#include "report/text.h"

#define MAX_SAVED ((size_t)64 << 20) /* bytes of a file */

/* ---- a case ------------------------------------------------------------------------------------------------------ */

static int find_status(const char *name, enum conform_status *out)
{
	for (enum conform_status s = CONFORM_PASSED; s <= CONFORM_UNSUPPORTED; s++)
		if (!strcmp(conform_status_name(s), name)) {
			*out = s;
			return 1;
		}
	return 0;
}

/* The detail of a case that passed says how. */
static enum conform_how find_how(const struct conform_case *c)
{
	for (enum conform_how h = CONFORM_ROUNDED; c->status == CONFORM_PASSED && h <= CONFORM_RANDOM; h++)
		if (!strcmp(conform_how_text(h), c->detail))
			return h;
	return CONFORM_EXACT;
}

static int read_case(const json_t *j, struct conform_case *out, struct err *e)
{
	const char *name = json_text_at(j, "name"), *suite = json_text_at(j, "suite");
	struct conform_case c = {.use = 0};

	if (!*name || !*suite || !find_status(json_text_at(j, "status"), &c.status))
		return err_set(e, ERR_INPUT, "a case lacks its name, its suite or its status");
	snprintf(c.detail, sizeof c.detail, "%s", json_text_at(j, "detail"));
	c.how = find_how(&c);
	c.ran = c.status == CONFORM_PASSED; /* of the others nothing is said */
	c.name = mem_strdup(name);
	c.suite = mem_strdup(suite);
	c.path = mem_strdup("");
	*out = c;
	if (c.name && c.suite && c.path)
		return 0;
	conform_case_release(&c);
	return err_nomem(e, "test cases", 0);
}

/* By suite, then by name, as the cases of a tree come; of one case the one that was read later first. */
static int by_place(const void *a, const void *b)
{
	const struct conform_case *x = a, *y = b;
	int order = strcmp(x->suite, y->suite);

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : (x->use < y->use) - (x->use > y->use);
}

/* What was read last of a case is what counts. */
static void drop_replaced(struct conform_list *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++)
		l->at[i].use = i; /* the order in which they were read */
	if (l->n)
		qsort(l->at, l->n, sizeof *l->at, by_place);
	for (size_t i = 0; i < l->n; i++) {
		const struct conform_case *before = kept ? &l->at[kept - 1] : NULL;

		if (before && !strcmp(before->suite, l->at[i].suite) && !strcmp(before->name, l->at[i].name))
			conform_case_release(&l->at[i]);
		else
			l->at[kept++] = l->at[i];
	}
	l->n = kept;
	for (size_t i = 0; i < l->n; i++)
		l->at[i].use = 0;
}

/* ---- a backend --------------------------------------------------------------------------------------------------- */

static struct conform_result *find_result(struct conform_results *all, const char *name, const char *version)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->at[i].name, name) && !strcmp(all->at[i].version, version))
			return &all->at[i];
	return NULL;
}

static int add_result(struct arena *names, struct conform_results *all, const char *name, const char *version,
		      struct err *e)
{
	struct conform_result r = {.name = arena_strdup(names, name),
				   .backend = arena_strndup(names, name, strcspn(name, "@:=")),
				   .version = arena_strdup(names, version)};

	return !r.name || !r.backend || !r.version || vec_push(all, r) ? err_nomem(e, "results", 0) : 0;
}

static int read_result(struct arena *names, const json_t *j, struct conform_results *all, struct err *e)
{
	const char *name = json_text_at(j, "backend"), *version = json_text_at(j, "version");
	const json_t *cases = json_object_get(j, "cases"), *item;
	struct conform_result *r;
	size_t i;
	int rc = 0;

	if (strcmp(json_text_at(j, "schema"), JSON_SCHEMA) || !*name || !json_is_array(cases))
		return err_set(e, ERR_INPUT, "these are not results that 'assay conform --json' printed");
	if (!find_result(all, name, version))
		rc = add_result(names, all, name, version, e);
	r = rc ? NULL : find_result(all, name, version);
	json_array_foreach(cases, i, item)
	{
		struct conform_case c;

		if (!rc)
			rc = read_case(item, &c, e);
		if (!rc && vec_push(&r->cases, c)) {
			conform_case_release(&c);
			rc = err_nomem(e, "test cases", 0);
		}
	}
	if (!rc)
		drop_replaced(&r->cases);
	return rc;
}

/* ---- a file ------------------------------------------------------------------------------------------------------ */

static int read_file(struct arena *names, const char *path, struct conform_results *all, struct err *e)
{
	json_t *root = NULL, *item;
	int rc = text_load_json(path, MAX_SAVED, &root, e);
	size_t i;

	if (rc)
		return rc;
	if (!json_is_array(root)) {
		rc = read_result(names, root, all, e);
	} else {
		json_array_foreach(root, i, item)
		{
			if (!rc)
				rc = read_result(names, item, all, e);
		}
	}
	json_decref(root);
	return rc ? err_prefix(e, "%s", path) : 0;
}

int conform_read(const struct texts *files, struct arena *names, struct conform_results *all, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < files->n && !rc; i++)
		rc = read_file(names, files->at[i], all, e);
	return rc;
}
