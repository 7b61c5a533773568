/* fusion.c - see fusion.h. */
#include "methods/fuzz/fusion.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "libraries/libraries.h"

#define MAX_FILE ((size_t)64 << 20)
#define MAX_NAME 128
#define MAX_LINE 512

/* A case whose names are being collected. */
struct noting {
	struct fusion *f;
	const struct library *library; /* whose file is read */
	char *out, seen[FUSION_NAMES]; /* names that are new, and others */
	size_t used, seen_used;
	int n;
};

static int has_word(const char *words, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = strstr(words, name); p; p = strstr(p + 1, name))
		if ((p == words || p[-1] == ' ' || p[-1] == FUSION_SEEN) && (p[n] == ' ' || !p[n]))
			return 1;
	return 0;
}

static void add_word(char *out, size_t *used, const char *mark, const char *name)
{
	*used += (size_t)snprintf(out + *used, FUSION_NAMES - *used, "%s%s%s", *used ? " " : "", mark, name);
}

/* Each once for a case; what does not fit the next case that has it tells. */
static int note_name(struct noting *x, const char *name, struct err *e)
{
	static const char mark[] = {FUSION_SEEN, '\0'};
	size_t size = strlen(name) + sizeof mark + 1;

	if (x->used + x->seen_used + size >= FUSION_NAMES || has_word(x->out, name) || has_word(x->seen, name))
		return 0;
	if (map_get(&x->f->seen, name)) {
		add_word(x->seen, &x->seen_used, mark, name);
		return 0;
	}
	if (map_put(&x->f->seen, name, x->f))
		return err_nomem(e, "fusions", 0);
	add_word(x->out, &x->used, "", name);
	x->n++;
	return 0;
}

size_t fusion_new(const char *names)
{
	const char *seen = strchr(names, FUSION_SEEN);
	size_t n = seen ? (size_t)(seen - names) : strlen(names);

	return n && names[n - 1] == ' ' ? n - 1 : n;
}

/* ---- readers ----------------------------------------------------------------------------------------------------- */

static int has_op(const struct graph *g, const struct node *n)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		if (!strcmp(g->nodes.at[i]->op_type, n->op_type) && !strcmp(g->nodes.at[i]->domain, n->domain))
			return 1;
	return 0;
}

/* A model: operators that the one given does not have, with the end of their domain unless that is the library's own.
 */
static int read_model(const struct buf *bytes, const struct model *given, struct noting *x, struct err *e)
{
	struct model *m;
	struct err ignored = ERR_INIT;
	int rc = 0;

	if (model_parse(bytes->data, bytes->len, "", &m, &ignored)) /* what only the library reads itself */
		return 0;
	for (size_t i = 0; i < m->graph->nodes.n && !rc; i++) {
		const struct node *n = m->graph->nodes.at[i];
		const char *dot = strrchr(n->domain, '.');
		int other = *n->domain && (!x->library->domain || strcmp(n->domain, x->library->domain));
		char name[MAX_NAME];

		if (has_op(given->graph, n))
			continue;
		snprintf(name, sizeof name, "%.40s%s%.80s", other ? (dot ? dot + 1 : n->domain) : "", other ? ":" : "",
			 n->op_type);
		rc = note_name(x, name, e);
	}
	model_free(m);
	return rc;
}

/* A name a line. */
static int read_names(const struct buf *bytes, const struct model *given, struct noting *x, struct err *e)
{
	char name[MAX_NAME];
	int rc = 0, used;

	(void)given;
	for (const char *p = bytes->data; p && !rc && sscanf(p, " %127s%n", name, &used) == 1; p += used)
		rc = note_name(x, name, e);
	return rc;
}

/* Lines of code, one a line: only how many are new. */
static int read_lines(const struct buf *bytes, const struct model *given, struct noting *x, struct err *e)
{
	char name[MAX_LINE];
	int used;

	(void)given;
	for (const char *p = bytes->data; p && sscanf(p, " %511s%n", name, &used) == 1; p += used) {
		if (map_get(&x->f->seen, name))
			continue;
		if (map_put(&x->f->seen, name, x->f))
			return err_nomem(e, "lines", 0);
		x->n++;
	}
	return 0;
}

static int (*const readers[])(const struct buf *bytes, const struct model *given, struct noting *x,
			      struct err *e) = {[SAVES_MODEL] = read_model, [SAVES_KINDS] = read_names};

/* NULL: it cannot tell. */
static const struct library *teller(const struct worker_spec *s, int lines)
{
	const struct library *l = s->backend ? library_find(s->backend) : NULL;

	return l && (lines ? l->tells_lines : l->saves != SAVES_NOTHING) ? l : NULL;
}

/* ---- a campaign -------------------------------------------------------------------------------------------------- */

int fusion_open(struct fusion *f, const struct worker_spec *specs, size_t n, int lines, struct err *e)
{
	int rc = 0, tellers = 0;

	f->lines = lines;
	f->specs = mem_array(n + 1, sizeof *f->specs);
	f->paths = mem_array(n + 1, sizeof *f->paths);
	if (!f->specs || !f->paths)
		rc = err_nomem(e, "backends", n);
	for (; f->n < n && !rc; f->n += !rc) {
		rc = spec_copy(&specs[f->n], &f->specs[f->n], e);
		if (rc || !teller(&specs[f->n], lines))
			continue;
		tellers++;
		rc = place_temporary_file(f->paths[f->n], "fusion", e);
		if (!rc)
			rc = spec_set_option(&f->specs[f->n], lines ? "lines" : "save", f->paths[f->n], e);
	}
	if (!rc && lines && !tellers)
		rc = err_set(e, ERR_USAGE, "--lines: '%s' does not tell lines of its code; libraries in Python do",
			     n ? specs->name : "");
	return rc;
}

void fusion_close(struct fusion *f)
{
	for (size_t i = 0; i < f->n; i++) {
		if (*f->paths[i])
			unlink(f->paths[i]);
		spec_release(&f->specs[i]);
	}
	mem_free(f->specs);
	mem_free(f->paths);
	map_release(&f->seen);
	*f = (struct fusion){0};
}

int fusion_learn(struct fusion *f, const char *names, struct err *e)
{
	char name[MAX_NAME];
	int used;

	for (; sscanf(names, " %127[^ \n]%n", name, &used) == 1; names += used)
		if (map_put(&f->seen, name, f))
			return err_nomem(e, "fusions", 0);
	return 0;
}

int fusion_note(struct fusion *f, const struct model *given, char *out, int *n, struct err *e)
{
	struct noting x = {.f = f, .out = out};
	int rc = 0;

	*out = '\0';
	for (size_t i = 0; i < f->n && !rc; i++) {
		struct buf bytes;

		if (!*f->paths[i] || access(f->paths[i], R_OK)) /* a model that was not loaded leaves nothing */
			continue;
		buf_init(&bytes, MAX_FILE);
		rc = buf_read_file(&bytes, f->paths[i], MAX_FILE, e);
		x.library = teller(&f->specs[i], f->lines);
		if (!rc && bytes.len)
			rc = (f->lines ? read_lines : readers[x.library->saves])(&bytes, given, &x, e);
		buf_release(&bytes);
		unlink(f->paths[i]);
	}
	if (x.seen_used)
		add_word(out, &x.used, "", x.seen);
	*n = x.n;
	return rc;
}
