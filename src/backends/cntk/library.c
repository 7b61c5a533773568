/* library.c - opening CNTK, loading one model into it and running that; see cntk.h. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/cntk/cntk.h"
#include "backends/onnx/onnx.h"
#include "base/mem.h"
#include "worker/backend.h"

#define MAX_EXACT (1 << 24) /* whole numbers up to here are float32's */

int cntk_open_library(struct cntk *k, const char *folder, struct err *e)
{
	char path[4096];
	void *library, *symbol;

	if (backend_find_library(folder, "libassay_cntk.so", path, sizeof path, e))
		return e->code;
	library = dlopen(path, RTLD_LAZY | RTLD_LOCAL); /* lazy: what it would call of MPI is a stub */
	if (!library)
		return backend_cannot_open(path, e);
#define F(result, name, arguments)                                                           \
	symbol = dlsym(library, #name);                                                      \
	if (!symbol)                                                                         \
		return err_set(e, ERR_UNSUPPORTED, "this CNTK has no function '%s'", #name); \
	memcpy(&k->name, &symbol, sizeof symbol);
	CNTK_FUNCTIONS(F)
	F(int, assay_cntk_convert, ())
#undef F
	return 0;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

/* How it says that it does not have something: it has no status for that.  A form of an operator from a later opset
 * than the reader knows is such a thing too. */
static const char *const unsupported_words[] = {
	"not supported",     "Unsupported",         "unsupported",
	"not implemented",   "Not Implemented",     "not yet implemented",
	"not yet supported", "No Op registered",    "No Op or Function registered",
	"No Schema",         "not in range",        "Unrecognized attribute",
	"No opset import",   "is not a registered", NULL};

static int failed(const char *doing, const char *message, struct err *e)
{
	struct buf line;

	buf_init(&line, 1 << 16);
	onnx_one_line(message, (const char *const[]){"[CALL STACK]", ", CallStack", "[0x", NULL}, &line);
	err_set(e, onnx_says(message, unsupported_words) ? ERR_UNSUPPORTED : ERR_INPUT, "CNTK: %s: %s", doing,
		line.data ? line.data : "");
	buf_release(&line);
	return e->code;
}

static int check(const struct cntk_status *s, const char *doing, struct err *e)
{
	return s->code ? failed(doing, s->text, e) : 0;
}

static int temporary(char *path, size_t size, struct err *e)
{
	int file;

	snprintf(path, size, "%s", "assay-cntk-XXXXXX"); /* in the folder that a worker works in */
	file = mkstemp(path);
	if (file < 0)
		return err_set(e, ERR_IO, "cannot make a file in its folder");
	close(file);
	return 0;
}

/* Reads the model as ONNX and writes it as CNTK's own. */
static int convert(const struct cntk *k, const void *onnx, size_t n, const char *own, struct err *e)
{
	char path[64], message[4096] = "";
	int rc = temporary(path, sizeof path, e);

	if (rc)
		return rc;
	rc = buf_write_file(onnx, n, path, e);
	if (!rc && k->assay_cntk_convert(path, own, message, sizeof message))
		rc = failed("convert the model", message, e);
	unlink(path);
	return rc;
}

int cntk_model_load(const struct cntk *k, const void *onnx, size_t n, struct cntk_model *out, struct err *e)
{
	const struct cntk_device cpu = {0, 0};
	struct cntk_status s;
	char own[64];
	int rc = temporary(own, sizeof own, e);

	memset(out, 0, sizeof *out);
	if (rc)
		return rc;
	rc = convert(k, onnx, n, own, e);
	if (!rc) {
		s = k->CNTK_LoadModel(own, &cpu, &out->handle);
		rc = check(&s, "load the converted model", e);
	}
	unlink(own);
	if (!rc) {
		s = k->CNTK_GetModelArgumentsInfo(out->handle, &out->in, &out->n_in);
		rc = check(&s, "tell the inputs", e);
	}
	if (!rc) {
		s = k->CNTK_GetModelOutputsInfo(out->handle, &out->out, &out->n_out);
		rc = check(&s, "tell the outputs", e);
	}
	if (!rc && out->n_out != 1)
		rc = err_set(e, ERR_UNSUPPORTED, "CNTK makes %u outputs of one", out->n_out);
	if (rc)
		cntk_model_release(k, out);
	return rc;
}

static void release_variables(const struct cntk *k, struct cntk_variable *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		k->CNTK_CleanVariable(&v[i]);
	if (v)
		k->CNTK_ReleaseArray(v);
}

void cntk_model_release(const struct cntk *k, struct cntk_model *m)
{
	release_variables(k, m->in, m->n_in);
	release_variables(k, m->out, m->n_out);
	if (m->handle)
		k->CNTK_ReleaseModel(m->handle);
	memset(m, 0, sizeof *m);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* Numbers as float32, which is all that the C interface takes. */
static int give(const struct named_value *in, struct cntk_value *v, struct err *e)
{
	const struct tensor *packed = in->value && in->value->kind == VALUE_TENSOR ? in->value->tensor : NULL;
	struct tensor *x;

	if (!packed || packed->dtype == DT_STRING || packed->dtype == DT_COMPLEX64 || packed->dtype == DT_COMPLEX128 ||
	    (dtype_is_float(packed->dtype) && packed->dtype != DT_FLOAT))
		return err_set(e, ERR_UNSUPPORTED, "input '%s': CNTK's C interface takes float32 alone", in->name);
	x = tensor_widen((struct tensor *)packed, e);
	if (!x)
		return e->code;
	v->data = mem_array(x->count + 1, sizeof *v->data);
	v->shape.value = mem_array((size_t)x->rank + 1, sizeof *v->shape.value);
	v->shape.size = (uint32_t)x->rank;
	if (!v->data || !v->shape.value)
		err_nomem(e, "an input", x->count);
	for (size_t i = 0; i < x->count && !e->code; i++) {
		double number = tensor_get(x, i);

		if (!dtype_is_float(x->dtype) && (number > MAX_EXACT || number < -MAX_EXACT))
			err_set(e, ERR_UNSUPPORTED, "input '%s': %.0f is not a float32", in->name, number);
		v->data[i] = (float)number;
	}
	for (int i = 0; i < x->rank && !e->code; i++)
		v->shape.value[i] = (uint32_t)x->dims[x->rank - 1 - i];
	tensor_unref(x);
	return e->code;
}

static int give_all(const struct cntk_model *m, const struct backend_values *in, struct cntk_value *values,
		    struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < m->n_in && !rc; i++) {
		const struct named_value *given = backend_value(in, m->in[i].name);

		rc = given ? give(given, &values[i], e)
			   : err_set(e, ERR_INPUT, "input '%s' is not given", m->in[i].name);
	}
	return rc;
}

static int take(const struct cntk_value *v, struct tensor **out, struct err *e)
{
	int64_t dims[TENSOR_MAX_RANK];
	struct tensor *x;

	if (v->shape.size > TENSOR_MAX_RANK)
		return err_set(e, ERR_UNSUPPORTED, "CNTK gave a tensor of rank %u", v->shape.size);
	for (uint32_t i = 0; i < v->shape.size; i++)
		dims[i] = v->shape.value[v->shape.size - 1 - i];
	x = tensor_new_packed(DT_FLOAT, (int)v->shape.size, dims, e);
	if (!x)
		return e->code;
	memcpy(x->data, v->data, x->count * sizeof *v->data);
	*out = x;
	return 0;
}

int cntk_model_run(const struct cntk *k, const struct cntk_model *m, const struct backend_values *in,
		   struct tensor **out, struct err *e)
{
	struct cntk_value *values = mem_array((size_t)m->n_in + 1, sizeof *values), *got = NULL;
	bool *reset = mem_array((size_t)m->n_in + 1, sizeof *reset);
	struct cntk_status s;
	int rc = values && reset ? give_all(m, in, values, e) : err_nomem(e, "inputs", m->n_in);

	for (uint32_t i = 0; reset && i < m->n_in; i++)
		reset[i] = true;
	if (!rc) {
		s = k->CNTK_EvaluateSequence(m->handle, m->in, values, reset, m->n_in, m->out, 1, &got);
		rc = check(&s, "run the model", e);
	}
	if (!rc)
		rc = take(&got[0], out, e);
	if (got) {
		k->CNTK_CleanValue(&got[0]);
		k->CNTK_ReleaseArray(got);
	}
	for (uint32_t i = 0; values && i < m->n_in; i++) {
		mem_free(values[i].data);
		mem_free(values[i].shape.value);
	}
	mem_free(values);
	mem_free(reset);
	return rc;
}
