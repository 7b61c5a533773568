/* backend.c - ONNX Runtime as a worker.
 *
 * The folder holds lib/libonnxruntime.so, 1.8.1 or newer.  Options of LOAD:
 *
 *     level     O0, O1, O2, O3 (since 1.23), O99 (default): graph optimization
 *     threads   1 by default; 0: the library's choice
 *     accuracy  of a product by weights of 8 bits or less behind DequantizeLinear: 1 (default), the other side stays
 *               float32; 2 float16, 3 bfloat16, 4 int8, which is the library's own choice; 0: nothing is said to it
 *     disable   optimizers to leave out, as "ConvBNFusion,GeluFusion"
 *     only      one optimizer, which is on while all others that have a name are off; a graph that it does not change
 *               is refused as unsupported: there is nothing to compare
 *     save      file for the model as optimized
 *     saved     1: the model as optimized is written and read again, and that is run
 *
 * The library only gives what graph.output names, so intermediate tensors are added there.  That blocks fusions: such a
 * session may differ in low bits from the plain one. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/onnx/onnx.h"
#include "backends/ort/ort.h"
#include "base/mem.h"
#include "worker/backend.h"

#define PATH_SIZE 4096

extern const struct backend backend_ort;

struct ort_library {
	struct ort *ort;
};

static int backend_open(const char *folder, const struct backend_options *o, void **ctx, const char **version,
			struct err *e)
{
	struct ort_library *l = mem_zalloc(sizeof *l);
	char path[PATH_SIZE];
	int rc;

	if (!l)
		return err_nomem(e, "onnxruntime", sizeof *l);
	(void)o; /* they count when a model is loaded */
	rc = backend_find_library(folder, "libonnxruntime.so", path, sizeof path, e);
	if (!rc)
		rc = ort_open(path, &l->ort, e);
	if (rc) {
		mem_free(l);
		return rc;
	}
	*ctx = l;
	*version = ort_version(l->ort);
	return 0;
}

static void backend_close(void *ctx)
{
	struct ort_library *l = ctx;

	ort_close(l->ort);
	mem_free(l);
}

/* No option is of the library itself. */
static int backend_reopen(void *ctx, const struct backend_options *o, struct err *e)
{
	(void)ctx;
	(void)o;
	(void)e;
	return 0;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	int level;
} levels[] = {{"O0", 0}, {"O1", 1}, {"O2", 2}, {"O3", 3}, {"O99", 99}};

static int read_options(const struct backend_options *o, struct ort_session_options *out, struct err *e)
{
	const char *level = backend_option(o, "level", "O99");
	int64_t threads = backend_option_int(o, "threads", 1), accuracy = backend_option_int(o, "accuracy", 1);

	*out = (struct ort_session_options){.level = -1,
					    .disable = backend_option(o, "disable", NULL),
					    .provider = backend_option(o, "provider", NULL),
					    .save = backend_option(o, "save", NULL)};
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (!strcmp(levels[i].name, level))
			out->level = levels[i].level;
	if (out->level < 0)
		return err_set(e, ERR_INPUT, "option level: '%s' is not O0, O1, O2, O3 or O99", level);
	if (threads < 0 || threads > 1024)
		return err_set(e, ERR_INPUT, "option threads: %lld is not between 0 and 1024", (long long)threads);
	if (accuracy < 0 || accuracy > 4)
		return err_set(e, ERR_INPUT, "option accuracy: %lld is not between 0 and 4", (long long)accuracy);
	out->threads = (int)threads;
	out->accuracy = (int)accuracy;
	return 0;
}

#define SAVED "saved.onnx" /* in the worker's own folder */

/* A session, and into `bytes` the model as the library writes it after its optimizations. */
static int open_and_save(struct ort *ort, const struct backend_model *m, const struct ort_session_options *options,
			 struct ort_session **out, struct buf *bytes, struct err *e)
{
	struct ort_session_options saving = *options;
	int rc;

	saving.save = SAVED;
	rc = ort_session_open(ort, m, &saving, out, e);
	if (!rc) {
		rc = buf_read_file(bytes, SAVED, ONNX_MAX_MODEL, e);
		if (rc) {
			ort_session_close(*out);
			*out = NULL;
		}
	}
	unlink(SAVED);
	return rc;
}

/* A session of the model as the library writes it after its optimizations. */
static int open_saved(struct ort *ort, const struct backend_model *m, const struct ort_session_options *options,
		      struct ort_session **out, struct err *e)
{
	struct ort_session *first = NULL;
	struct buf bytes;
	int rc;

	buf_init(&bytes, ONNX_MAX_MODEL);
	rc = open_and_save(ort, m, options, &first, &bytes, e);
	if (!rc)
		rc = ort_session_open(ort, &(struct backend_model){.bytes = bytes.data, .n = bytes.len}, options, out,
				      e);
	ort_session_close(first);
	buf_release(&bytes);
	return rc;
}

/* ---- one optimizer ----------------------------------------------------------------------------------------------- */

static const char *const pass_names[] = {
#define PASS(name) #name,
#include "worker/ort_passes.def"
#undef PASS
};

/* All names but one, with commas between; *known 0: that one is not among them. */
static int names_but(const char *one, struct buf *out, int *known, struct err *e)
{
	*known = 0;
	for (size_t i = 0; i < sizeof pass_names / sizeof *pass_names; i++) {
		if (!strcmp(pass_names[i], one))
			*known = 1;
		else
			buf_printf(out, "%s%s", out->len ? "," : "", pass_names[i]);
	}
	return buf_check(out, e);
}

/* A session with the optimizers that are not in `left_out`, and the model that comes of them. */
static int open_without(struct ort *ort, const struct backend_model *m, const char *left_out,
			const struct ort_session_options *options, struct ort_session **out, struct buf *bytes,
			struct err *e)
{
	struct ort_session_options some = *options;

	some.disable = left_out;
	return open_and_save(ort, m, &some, out, bytes, e);
}

/* A session with one optimizer alone, where that makes another model than none does. */
static int open_only(struct ort *ort, const struct backend_model *m, const char *one,
		     const struct ort_session_options *options, struct ort_session **out, struct err *e)
{
	struct ort_session *none = NULL, *with = NULL;
	struct buf names, all, plain, changed;
	int known = 0, other, rc;

	buf_init(&names, PATH_SIZE);
	buf_init(&all, PATH_SIZE);
	buf_init(&plain, ONNX_MAX_MODEL);
	buf_init(&changed, ONNX_MAX_MODEL);
	rc = names_but(one, &names, &known, e);
	if (!rc)
		rc = names_but("", &all, &other, e);
	if (!rc && !known)
		rc = err_set(e, ERR_INPUT, "option only: no optimizer is called '%s'", one);
	if (!rc)
		rc = open_without(ort, m, all.data, options, &none, &plain, e);
	if (!rc)
		rc = open_without(ort, m, names.data, options, &with, &changed, e);
	if (!rc && plain.len == changed.len && !memcmp(plain.data, changed.data, plain.len))
		rc = err_set(e, ERR_UNSUPPORTED, "%s alone changes nothing of this graph", one);
	ort_session_close(none);
	if (rc)
		ort_session_close(with);
	else
		*out = with;
	buf_release(&names);
	buf_release(&all);
	buf_release(&plain);
	buf_release(&changed);
	return rc;
}

static int open_session(struct ort *ort, const struct backend_model *m, const struct ort_session_options *options,
			struct ort_session **out, struct err *e)
{
	const char *only = backend_option(&m->options, "only", NULL);

	if (only)
		return open_only(ort, m, only, options, out, e);
	return backend_option_int(&m->options, "saved", 0) ? open_saved(ort, m, options, out, e)
							   : ort_session_open(ort, m, options, out, e);
}

static int backend_load(void *ctx, const struct backend_model *m, void **session, struct err *e)
{
	struct ort_library *l = ctx;
	struct ort_session_options options;
	struct ort_session *s = NULL;
	struct backend_model shown;
	struct buf bytes;
	int rc = read_options(&m->options, &options, e);

	buf_init(&bytes, ONNX_MAX_MODEL);
	if (!rc)
		rc = onnx_exposed(m, &bytes, &shown, e);
	if (!rc)
		rc = open_session(l->ort, &shown, &options, &s, e);
	buf_release(&bytes);
	if (!rc)
		*session = s;
	return rc;
}

static void backend_unload(void *ctx, void *session)
{
	(void)ctx;
	ort_session_close(session);
}

static size_t backend_outputs(void *session, const char *const **names)
{
	return ort_session_outputs(session, names);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static int backend_run(void *ctx, void *session, const struct backend_run *q, struct value **out, struct err *e)
{
	(void)ctx;
	return ort_session_run(session, q, out, e);
}

const struct backend backend_ort = {
	.api = BACKEND_API,
	.name = "ort",
	.library = "onnxruntime",
	.domain = "com.microsoft",
	.files = 1,
	.open = backend_open,
	.reopen = backend_reopen,
	.close = backend_close,
	.load = backend_load,
	.unload = backend_unload,
	.outputs = backend_outputs,
	.run = backend_run,
};
