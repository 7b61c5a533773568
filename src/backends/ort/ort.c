/* ort.c - see ort.h. */
#include "backends/ort/ort.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/ort/internal.h"
#include "base/buf.h"
#include "base/mem.h"

#define DISABLE_SINCE 18 /* minor version that reads the list of disabled optimizers */
#define LAYOUT 3         /* a level … */
#define LAYOUT_SINCE 23  /* … since this minor version */
#define MAX_DISABLE ((size_t)1 << 16)

/* ---- statuses ---------------------------------------------------------------------------------------------------- */

/* Words by which the library refuses what it does not have, with a status that does not say so. */
static const char *const lacks[] = {
	"No Op registered for",
	"is not a registered function/op",
	"Unsupported model IR version",
	"Unknown model file format version",
	"is under development and support for this is limited",
	"Could not find an implementation for",
	"NOT_IMPLEMENTED",
	"not supported",
	"mode only supports",         /* Resize and Upsample: which axes may be scaled */
	"contains compiled nodes",    /* of another execution provider: such a model cannot be saved */
	"Failed to construct locale", /* of StringNormalizer, where the system does not have it */
};

static int status_of(const struct ort *o, const struct OrtStatus *s)
{
	const char *message = o->api.GetErrorMessage(s);

	if (o->api.GetErrorCode(s) == ORT_STATUS_NOT_IMPLEMENTED)
		return ERR_UNSUPPORTED;
	for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
		if (strstr(message, lacks[i]))
			return ERR_UNSUPPORTED;
	return strstr(message, "Failed to allocate memory") || strstr(message, "bad_alloc") ? ERR_MEMORY : ERR_INPUT;
}

int ort_check(const struct ort *o, struct OrtStatus *s, const char *doing, struct err *e)
{
	int code;

	if (!s)
		return 0;
	code = status_of(o, s);
	err_set(e, code, "onnxruntime cannot %s: %s", doing, o->api.GetErrorMessage(s));
	o->api.ReleaseStatus(s);
	return code;
}

/* ---- the library ------------------------------------------------------------------------------------------------- */

/* Versions are "1.N.P"; the table of version N is asked for, so that no slot is read past its end. */
static int fill_api(struct ort *o, const struct ort_api_base *base, struct err *e)
{
	const char *minor = strchr(base->get_version(), '.');
	long n = minor ? strtol(minor + 1, NULL, 10) : 0;
	const void *const *table = base->get_api((uint32_t)(n < ORT_API_NEWEST ? n : ORT_API_NEWEST));

	o->version = base->get_version();
	o->minor = (int)n;
	if (!table)
		return err_set(e, ERR_UNSUPPORTED, "onnxruntime %s has no interface that assay knows", o->version);
#define S(slot, result, name, arguments) \
	if (n >= ORT_SLOT_SINCE(slot))   \
		memcpy(&o->api.name, &table[slot], sizeof o->api.name);
	ORT_SLOTS(S)
#undef S
	return 0;
}

int ort_open(const char *library, struct ort **out, struct err *e)
{
	struct ort *o = mem_zalloc(sizeof *o);
	const struct ort_api_base *(*get_base)(void) = NULL;
	void *symbol;
	int rc = 0;

	if (!o)
		return err_nomem(e, "onnxruntime", sizeof *o);
	o->handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	symbol = o->handle ? dlsym(o->handle, "OrtGetApiBase") : NULL;
	memcpy(&get_base, &symbol, sizeof get_base);
	if (!get_base)
		rc = backend_cannot_open(library, e);
	if (!rc)
		rc = fill_api(o, get_base(), e);
	if (!rc)
		rc = ort_check(o, o->api.CreateEnv(ORT_LOG_ERROR, "assay", &o->env), "start", e);
	if (!rc)
		rc = ort_check(o, o->api.CreateCpuMemoryInfo(ORT_ALLOCATOR_DEVICE, ORT_MEMORY_DEFAULT, &o->cpu),
			       "describe memory", e);
	if (!rc)
		rc = ort_check(o, o->api.GetAllocatorWithDefaultOptions(&o->allocator), "allocate", e);
	if (rc) {
		ort_close(o);
		return rc;
	}
	*out = o;
	return 0;
}

void ort_close(struct ort *o)
{
	if (!o)
		return;
	if (o->cpu)
		o->api.ReleaseMemoryInfo(o->cpu);
	if (o->env)
		o->api.ReleaseEnv(o->env);
	mem_free(o); /* the library stays loaded: its threads may still run */
}

const char *ort_version(const struct ort *o)
{
	return o->version;
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

/* The library wants semicolons between names. */
static int disable_optimizers(struct ort *o, struct OrtSessionOptions *so, const char *names, struct err *e)
{
	struct buf list;
	int rc;

	if (o->minor < DISABLE_SINCE)
		return err_set(e, ERR_UNSUPPORTED, "onnxruntime %s cannot leave out single optimizers", o->version);
	buf_init(&list, MAX_DISABLE);
	buf_puts(&list, names);
	rc = buf_check(&list, e);
	for (char *p = list.data; !rc && p && *p; p++)
		if (*p == ',')
			*p = ';';
	if (!rc)
		rc = ort_check(o,
			       o->api.AddSessionConfigEntry(so, "optimization.disable_specified_optimizers",
							    list.data ? list.data : ""),
			       "leave out optimizers", e);
	buf_release(&list);
	return rc;
}

/* What computes in place of the library's own kernels, as far as it can; on the processor, one thread, in float32. */
static int append_provider(struct ort *o, struct OrtSessionOptions *so, const char *provider, struct err *e)
{
	static const char *const keys[] = {"device_type", "num_of_threads", "precision"}, *const values[] = {"CPU", "1",
													     "FP32"};

	if (!o->api.SessionOptionsAppendExecutionProvider)
		return err_set(e, ERR_UNSUPPORTED, "onnxruntime %s takes no execution provider by name", o->version);
	return ort_check(
		o, o->api.SessionOptionsAppendExecutionProvider(so, provider, keys, values, sizeof keys / sizeof *keys),
		"use an execution provider", e);
}

/* Its own choice, 4, rounds the float32 side of a product to 8 bits, as it documents.  No finding, and it hides others.
 */
static int set_accuracy(struct ort *o, struct OrtSessionOptions *so, int accuracy, struct err *e)
{
	const char level[] = {(char)('0' + accuracy), '\0'};

	return ort_check(o, o->api.AddSessionConfigEntry(so, "session.qdq_matmulnbits_accuracy_level", level),
			 "set the accuracy", e);
}

static int set_options(struct ort *o, struct OrtSessionOptions *so, const struct ort_session_options *options,
		       struct err *e)
{
	int rc;

	if (options->level == LAYOUT && o->minor < LAYOUT_SINCE)
		return err_set(e, ERR_UNSUPPORTED, "onnxruntime %s has no level of layouts", o->version);
	rc = ort_check(o, o->api.SetSessionGraphOptimizationLevel(so, options->level), "set the optimization level", e);
	if (!rc && options->threads)
		rc = ort_check(o, o->api.SetIntraOpNumThreads(so, options->threads), "set threads", e);
	if (!rc && options->accuracy)
		rc = set_accuracy(o, so, options->accuracy, e);
	if (!rc && options->disable)
		rc = disable_optimizers(o, so, options->disable, e);
	if (!rc && options->provider)
		rc = append_provider(o, so, options->provider, e);
	if (!rc && options->save)
		rc = ort_check(o, o->api.SetOptimizedModelFilePath(so, options->save), "save the optimized model", e);
	return rc;
}

static int add_output(struct ort_session *s, size_t i, struct err *e)
{
	struct ort *o = s->ort;
	struct OrtTypeInfo *info = NULL;
	char *name = NULL;
	int type = 0,
	    rc = ort_check(o, o->api.SessionGetOutputName(s->session, i, o->allocator, &name), "name an output", e);

	if (rc)
		return rc;
	s->names[i] = mem_strdup(name);
	s->n_outputs = i + 1;
	rc = ort_check(o, o->api.AllocatorFree(o->allocator, name), "free memory", e);
	if (!rc && !s->names[i])
		rc = err_nomem(e, "an output", 0);
	if (!rc)
		rc = ort_check(o, o->api.SessionGetOutputTypeInfo(s->session, i, &info), "describe an output", e);
	if (!rc)
		rc = ort_check(o, o->api.GetOnnxTypeFromTypeInfo(info, &type), "describe an output", e);
	s->is_optional[i] = type == ORT_TYPE_OPTIONAL;
	if (info)
		o->api.ReleaseTypeInfo(info);
	return rc;
}

static int read_outputs(struct ort_session *s, struct err *e)
{
	size_t n = 0;
	int rc = ort_check(s->ort, s->ort->api.SessionGetOutputCount(s->session, &n), "count outputs", e);

	if (rc)
		return rc;
	s->names = mem_array(n, sizeof *s->names);
	s->is_optional = mem_array(n, sizeof *s->is_optional);
	if (!s->names || !s->is_optional)
		return err_nomem(e, "outputs", n * sizeof *s->names);
	for (size_t i = 0; i < n && !rc; i++)
		rc = add_output(s, i, e);
	return rc;
}

static struct OrtStatus *create_session(struct ort_session *s, const struct backend_model *m,
					const struct OrtSessionOptions *options)
{
	const struct ort *o = s->ort;

	return m->path ? o->api.CreateSession(o->env, m->path, options, &s->session)
		       : o->api.CreateSessionFromArray(o->env, m->bytes, m->n, options, &s->session);
}

int ort_session_open(struct ort *o, const struct backend_model *m, const struct ort_session_options *options,
		     struct ort_session **out, struct err *e)
{
	struct ort_session *s = mem_zalloc(sizeof *s);
	struct OrtSessionOptions *so = NULL;
	int rc;

	if (!s)
		return err_nomem(e, "a session", sizeof *s);
	s->ort = o;
	rc = ort_check(o, o->api.CreateSessionOptions(&so), "make options", e);
	if (!rc)
		rc = set_options(o, so, options, e);
	if (!rc)
		rc = ort_check(o, create_session(s, m, so), "load the model", e);
	if (so)
		o->api.ReleaseSessionOptions(so);
	if (!rc)
		rc = read_outputs(s, e);
	if (rc) {
		ort_session_close(s);
		return rc;
	}
	*out = s;
	return 0;
}

void ort_session_close(struct ort_session *s)
{
	if (!s)
		return;
	if (s->session)
		s->ort->api.ReleaseSession(s->session);
	for (size_t i = 0; i < s->n_outputs; i++)
		mem_free(s->names[i]);
	mem_free(s->names);
	mem_free(s->is_optional);
	mem_free(s);
}

size_t ort_session_outputs(const struct ort_session *s, const char *const **names)
{
	*names = (const char *const *)s->names;
	return s->n_outputs;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static int is_optional(const struct ort_session *s, const char *name)
{
	for (size_t i = 0; i < s->n_outputs; i++)
		if (!strcmp(s->names[i], name))
			return s->is_optional[i];
	return 0;
}

static void release_values(const struct ort *o, struct OrtValue **v, size_t n)
{
	for (size_t i = 0; v && i < n; i++)
		if (v[i])
			o->api.ReleaseValue(v[i]);
	mem_free(v);
}

int ort_session_run(struct ort_session *s, const struct backend_run *q, struct value **out, struct err *e)
{
	struct ort *o = s->ort;
	size_t n_in = q->in.n, n_out = q->wanted.n, n = 0;
	const char **names = mem_array(n_in, sizeof *names);
	struct OrtValue **in = mem_array(n_in, sizeof *in), **got = mem_array(n_out, sizeof *got);
	int rc = names && in && got ? 0 : err_nomem(e, "values", (n_in + n_out) * sizeof *in);

	for (size_t i = 0; i < n_in && !rc; i++) {
		names[i] = q->in.at[i].name;
		rc = ort_from_value(o, q->in.at[i].value, &in[i], e);
	}
	if (!rc)
		rc = ort_check(o,
			       o->api.Run(s->session, NULL, names, (const struct OrtValue *const *)in, n_in,
					  q->wanted.at, n_out, got),
			       "run the model", e);
	while (n < n_out && !rc) {
		rc = ort_to_value(o, &got[n], is_optional(s, q->wanted.at[n]), &out[n], e);
		n += !rc;
	}
	while (rc && n)
		value_unref(out[--n]);
	release_values(o, in, n_in);
	release_values(o, got, n_out);
	mem_free(names);
	return rc;
}
