/* remote.c - see remote.h. */
#include "judge/remote.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "ops/op.h"

int remote_read_model(const char *path, struct buf *bytes, struct model **m, struct err *e)
{
	struct err first = ERR_INIT;
	int rc = buf_read_file(bytes, path, MODEL_MAX_FILE, e);

	if (rc)
		return rc;
	if (model_parse(bytes->data, bytes->len, "", m, &first)) { /* broken, or with data in other files */
		rc = model_load(path, m, e);
		if (rc)
			return rc;
		buf_clear(bytes);
		rc = model_serialize(*m, bytes, e);
	}
	if (!rc && !((*m)->path = arena_strdup(&(*m)->arena, path))) /* for messages */
		rc = err_nomem(e, "a path", 0);
	if (rc) {
		model_free(*m);
		*m = NULL;
		return rc;
	}
	ops_bind(*m, &first); /* what the library thinks of a node that breaks the rules is its own affair */
	return 0;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Length of a text without the blanks at its end. */
static size_t trimmed(const char *text)
{
	size_t n = strlen(text);

	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	return n;
}

/* What the library said, or the last line that a dying worker wrote. */
static const char *words_of(const struct worker_report *r, size_t *n)
{
	const char *text = *r->message ? r->message : r->stderr_tail;
	size_t start;

	*n = trimmed(text);
	start = *n;
	while (!*r->message && start && text[start - 1] != '\n')
		start--;
	start = *r->message ? 0 : start;
	*n -= start;
	return text + start;
}

const char *remote_describe(const struct worker_report *r, char *out, size_t size)
{
	char how[48] = "";
	size_t n;
	const char *said = words_of(r, &n);

	if (r->result == WORKER_CRASH && r->signal)
		snprintf(how, sizeof how, " (signal %d)", r->signal);
	else if (r->result == WORKER_CRASH)
		snprintf(how, sizeof how, " (exit status %d)", r->exit_status);
	snprintf(out, size, "%s%s%s%.*s", worker_result_name(r->result), how, n ? ": " : "", (int)n, said);
	return out;
}

static int fail(const struct worker_report *r, struct err *e)
{
	char text[sizeof e->msg];
	size_t n;
	const char *said = words_of(r, &n);

	if (r->result == WORKER_UNSUPPORTED)
		return err_set(e, ERR_UNSUPPORTED, "%.*s", (int)n, said);
	return err_set(e, ERR_INPUT, "%s", remote_describe(r, text, sizeof text));
}

int remote_open(const struct worker_spec *spec, struct worker **out, struct err *e)
{
	struct worker_report report;
	struct worker_limits limits = {0, 0, 0};

	return worker_open(spec, &limits, out, &report, e);
}

int remote_load(struct worker *w, const struct buf *bytes, const char *const *outputs, size_t n_outputs,
		uint64_t *session, struct err *e)
{
	struct worker_report report;

	if (worker_load(w, bytes->data, bytes->len, outputs, n_outputs, session, &report) == WORKER_OK)
		return 0;
	return fail(&report, e);
}

static struct value *find_value(const struct named_value *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].name, name))
			return v[i].value;
	return NULL;
}

int remote_inputs(const struct graph *g, struct value *const *in, struct named_value **out, size_t *n, struct err *e)
{
	struct named_value *given = mem_array(g->inputs.n, sizeof *given);

	if (!given)
		return err_nomem(e, "inputs", g->inputs.n * sizeof *given);
	*n = 0;
	for (size_t i = 0; i < g->inputs.n; i++)
		if (in[i])
			given[(*n)++] = (struct named_value){g->inputs.at[i]->name, in[i]};
	*out = given;
	return 0;
}

int remote_run(struct worker *w, uint64_t session, const struct graph *g, struct value *const *in,
	       const char *const *names, struct value **out, size_t n_out, struct err *e)
{
	struct named_value *given = NULL, *got = NULL;
	struct worker_report report;
	size_t n = 0, n_got = 0;
	int rc = remote_inputs(g, in, &given, &n, e);

	if (rc)
		return rc;
	if (worker_run(w, session, given, n, names, n_out, &got, &n_got, &report) != WORKER_OK)
		rc = fail(&report, e);
	mem_free(given);
	if (rc)
		return rc;
	for (size_t i = 0; i < n_out && !rc; i++)
		if (!find_value(got, n_got, names[i]))
			rc = err_set(e, ERR_INPUT, "the worker gave no output '%s'", names[i]);
	for (size_t i = 0; i < n_out && !rc; i++)
		out[i] = value_ref(find_value(got, n_got, names[i]));
	worker_values_free(got, n_got);
	return rc;
}
