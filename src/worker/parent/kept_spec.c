/* kept_spec.c - a worker's own copy of what is to be run: whoever opened it may free the spec. */
#include <limits.h>
#include <stdlib.h>

#include "worker/parent/internal.h"

static char *keep_text(struct worker *w, const char *s)
{
	return arena_strdup(&w->keep, s ? s : "");
}

/* The library's folder as the worker, which works elsewhere, must be told it. */
static char *keep_folder(struct worker *w, const char *folder)
{
	char full[PATH_MAX];

	return keep_text(w, folder && *folder && realpath(folder, full) ? full : folder);
}

static char **keep_list(struct worker *w, char *const *list)
{
	size_t n = 0;
	char **copy;

	while (list && list[n])
		n++;
	copy = arena_array(&w->keep, n + 1, sizeof(char *));
	for (size_t i = 0; copy && i < n; i++) {
		copy[i] = keep_text(w, list[i]);
		if (!copy[i])
			return NULL;
	}
	return copy;
}

int worker_keep_spec(struct worker *w, const struct worker_spec *s)
{
	struct worker_spec *d = &w->spec;
	int ok;

	*d = (struct worker_spec){.name = keep_text(w, s->name),
				  .program = keep_text(w, s->program),
				  .args = keep_list(w, s->args),
				  .env = keep_list(w, s->env),
				  .folder = keep_folder(w, s->folder),
				  .library = keep_text(w, s->library),
				  .version = keep_text(w, s->version),
				  .options = arena_array(&w->keep, s->n_options, sizeof *d->options),
				  .n_options = s->n_options};
	ok = d->name && d->program && d->args && d->env && d->folder && d->library && d->version && d->options;
	for (size_t i = 0; ok && i < s->n_options; i++) {
		d->options[i].name = keep_text(w, s->options[i].name);
		d->options[i].value = keep_text(w, s->options[i].value);
		ok = d->options[i].name && d->options[i].value;
	}
	return ok ? 0 : ERR_MEMORY;
}
