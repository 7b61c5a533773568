/* ort.c - see ort.h. */
#include "backends/ort/ort.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/ort/ort_api.h"
#include "base/mem.h"

struct ort {
	void *handle;
	struct ort_api api;
	const char *version;
	struct OrtEnv *env;
	struct OrtMemoryInfo *cpu;
};

struct ort_session {
	struct ort *ort;
	struct OrtSession *session;
};

/* Turns a status of the library into one of ours; takes it over. */
static int check(const struct ort *o, struct OrtStatus *s, const char *doing, struct err *e)
{
	int code;

	if (!s)
		return 0;
	code = o->api.GetErrorCode(s) == ORT_STATUS_NOT_IMPLEMENTED ? ERR_UNSUPPORTED : ERR_INPUT;
	err_set(e, code, "onnxruntime cannot %s: %s", doing, o->api.GetErrorMessage(s));
	o->api.ReleaseStatus(s);
	return code;
}

/* Versions are "1.N.P"; the table of version N is asked for, so that no slot is read past its end. */
static int fill_api(struct ort *o, const struct ort_api_base *base, struct err *e)
{
	const char *minor = strchr(base->get_version(), '.');
	long n = minor ? strtol(minor + 1, NULL, 10) : 0;
	const void *const *table = base->get_api((uint32_t)(n < ORT_API_NEWEST ? n : ORT_API_NEWEST));

	o->version = base->get_version();
	if (!table)
		return err_set(e, ERR_UNSUPPORTED, "onnxruntime %s has no interface that assay knows", o->version);
#define S(slot, result, name, arguments) memcpy(&o->api.name, &table[slot], sizeof o->api.name);
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
		rc = err_set(e, ERR_IO, "cannot open '%s': %s", library, dlerror());
	if (!rc)
		rc = fill_api(o, get_base(), e);
	if (!rc)
		rc = check(o, o->api.CreateEnv(ORT_LOG_ERROR, "assay", &o->env), "start", e);
	if (!rc)
		rc = check(o, o->api.CreateCpuMemoryInfo(ORT_ALLOCATOR_DEVICE, ORT_MEMORY_DEFAULT, &o->cpu),
			   "describe memory", e);
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

int ort_session_open(struct ort *o, const void *model, size_t n, const struct ort_session_options *options,
		     struct ort_session **out, struct err *e)
{
	struct ort_session *s = mem_zalloc(sizeof *s);
	struct OrtSessionOptions *so = NULL;
	int rc = s ? check(o, o->api.CreateSessionOptions(&so), "make options", e)
		   : err_nomem(e, "a session", sizeof *s);

	if (!rc)
		rc = check(o, o->api.SetSessionGraphOptimizationLevel(so, options->level), "set the optimization level",
			   e);
	if (!rc && options->threads)
		rc = check(o, o->api.SetIntraOpNumThreads(so, options->threads), "set threads", e);
	if (!rc) {
		s->ort = o;
		rc = check(o, o->api.CreateSessionFromArray(o->env, model, n, so, &s->session), "load the model", e);
	}
	if (so)
		o->api.ReleaseSessionOptions(so);
	if (rc) {
		mem_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void ort_session_close(struct ort_session *s)
{
	if (!s)
		return;
	s->ort->api.ReleaseSession(s->session);
	mem_free(s);
}

static int to_ort(struct ort *o, const struct tensor *t, struct OrtValue **out, struct err *e)
{
	return check(o,
		     o->api.CreateTensorWithDataAsOrtValue(o->cpu, t->data, dtype_packed_size(t->dtype, t->count),
							   t->dims, (size_t)t->rank, (int)t->dtype, out),
		     "take an input", e);
}

static int from_ort(struct ort *o, struct OrtValue *v, struct tensor **out, struct err *e)
{
	struct OrtTensorTypeAndShapeInfo *info = NULL;
	int64_t dims[TENSOR_MAX_RANK];
	void *data = NULL;
	struct tensor *t;
	size_t rank = 0;
	int type = 0, rc = check(o, o->api.GetTensorTypeAndShape(v, &info), "describe an output", e);

	if (!rc)
		rc = check(o, o->api.GetTensorElementType(info, &type), "describe an output", e);
	if (!rc)
		rc = check(o, o->api.GetDimensionsCount(info, &rank), "describe an output", e);
	if (!rc && (rank > TENSOR_MAX_RANK || dtype_from_code(type) == DT_UNDEFINED || type == DT_STRING))
		rc = err_set(e, ERR_UNSUPPORTED, "onnxruntime gave a tensor of rank %zu and type %d", rank, type);
	if (!rc)
		rc = check(o, o->api.GetDimensions(info, dims, rank), "describe an output", e);
	if (info)
		o->api.ReleaseTensorTypeAndShapeInfo(info);
	if (!rc)
		rc = check(o, o->api.GetTensorMutableData(v, &data), "give an output", e);
	if (rc)
		return rc;
	t = tensor_new_packed(dtype_from_code(type), (int)rank, dims, e);
	if (!t)
		return e->code;
	memcpy(t->data, data, dtype_packed_size(t->dtype, t->count));
	*out = t;
	return 0;
}

static void release_values(const struct ort *o, struct OrtValue **v, size_t n)
{
	for (size_t i = 0; v && i < n; i++)
		if (v[i])
			o->api.ReleaseValue(v[i]);
	mem_free(v);
}

int ort_session_run(struct ort_session *s, const char *const *in_names, struct tensor *const *in, size_t n_in,
		    const char *const *out_names, struct tensor **out, size_t n_out, struct err *e)
{
	struct ort *o = s->ort;
	struct OrtValue **vin = mem_array(n_in, sizeof *vin), **vout = mem_array(n_out, sizeof *vout);
	int rc = vin && vout ? 0 : err_nomem(e, "values", (n_in + n_out) * sizeof *vin);
	size_t n = 0;

	for (size_t i = 0; i < n_in && !rc; i++)
		rc = to_ort(o, in[i], &vin[i], e);
	if (!rc)
		rc = check(o,
			   o->api.Run(s->session, NULL, in_names, (const struct OrtValue *const *)vin, n_in, out_names,
				      n_out, vout),
			   "run the model", e);
	while (n < n_out && !rc) {
		rc = from_ort(o, vout[n], &out[n], e);
		n += !rc;
	}
	while (rc && n)
		tensor_unref(out[--n]);
	release_values(o, vin, n_in);
	release_values(o, vout, n_out);
	return rc;
}
