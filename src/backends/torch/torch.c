/* torch.c - the backend: opens the shim and runs sessions of the binding driver, operator by operator (mode eager)
 * or compiled (mode jit, see jit.c).
 *
 * Gradients are autograd's, in both modes: an eager run with the wanted inputs and initializers marked, then one
 * backward pass from the seeds. */
#include "backends/torch/torch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "backends/bind/record.h"
#include "base/mem.h"

#define SHIM "shim/libassay_torch.so"
#define SEED UINT64_C(20240229) /* operators that draw random numbers draw the same ones in every process */

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static int fill_api(void *library, struct torch_api *api, const char *path, struct err *e)
{
	void *symbol;

#define X(result, name, arguments)                                                                   \
	symbol = dlsym(library, #name);                                                              \
	if (!symbol)                                                                                 \
		return err_set(e, ERR_IO, "'%s' has no function '%s': build it again", path, #name); \
	memcpy(&api->name, &symbol, sizeof symbol);
	TORCH_FUNCTIONS(X)
#undef X
	if (api->assay_torch_api() != TORCH_SHIM_API)
		return err_set(e, ERR_IO, "'%s' is of version %d, wanted %d: build it again", path,
			       api->assay_torch_api(), TORCH_SHIM_API);
	return 0;
}

static int open_shim(const char *folder, struct torch_api *api, struct err *e)
{
	char path[4096];
	void *library;

	if ((size_t)snprintf(path, sizeof path, "%s/" SHIM, folder) >= sizeof path)
		return err_set(e, ERR_LIMIT, "the path of '%s' is too long", folder);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return err_set(e, ERR_IO, "cannot open '%s': %s", path, dlerror());
	return fill_api(library, api, path, e); /* it stays loaded: PyTorch cannot be unloaded */
}

static int check_options(const struct backend_options *o, struct err *e)
{
	const char *mode = backend_option(o, "mode", "eager");

	if (strcmp(mode, "eager") && strcmp(mode, "jit"))
		return err_set(e, ERR_USAGE, "mode '%s' is not eager or jit", mode);
	return 0;
}

static int torch_open(const char *folder, const struct backend_options *o, void **ctx, const char **version,
		      struct err *e)
{
	struct th *th = mem_zalloc(sizeof *th);
	int rc = th ? check_options(o, e) : err_nomem(e, "torch", sizeof *th);

	if (!rc)
		rc = record_open(backend_option(o, "record", NULL), backend_option(o, "values", NULL) != NULL,
				 &th->record, e);
	if (!rc)
		rc = open_shim(folder, &th->api, e);
	if (!rc && (th->api.assay_torch_configure((int)backend_option_int(o, "threads", 1), SEED) ||
		    th->api.assay_torch_use_device(backend_option(o, "device", "cpu"))))
		rc = th_failed(th, "start", e);
	if (rc) {
		if (th)
			record_close(th->record);
		mem_free(th);
		return rc;
	}
	th->jit = !strcmp(backend_option(o, "mode", "eager"), "jit");
	th->saved = backend_option_int(o, "saved", 0) != 0;
	*version = th->api.assay_torch_version();
	*ctx = th;
	return 0;
}

static void torch_close(void *ctx)
{
	struct th *th = ctx;

	for (size_t i = 0; i < th->handles.n; i++)
		th->api.assay_torch_release(th->handles.at[i]);
	vec_release(&th->handles);
	torch_forget_programs(th);
	record_close(th->record);
	mem_free(th);
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

static int torch_load(void *ctx, const void *model, size_t n, const struct backend_options *o,
		      const char *const *outputs, size_t n_outputs, void **session, struct err *e)
{
	struct bind_session *s;
	int rc = check_options(o, e);

	if (!rc)
		rc = bind_open(&th_library, ctx, model, n, outputs, n_outputs, &s, e);
	if (!rc)
		*session = s;
	return rc;
}

static void torch_unload(void *ctx, void *session)
{
	(void)ctx;
	bind_close(session);
}

static size_t torch_outputs(void *session, const char *const **names)
{
	return bind_outputs(session, names);
}

static void release_all(struct th *th, void **handles, size_t n)
{
	for (size_t i = 0; handles && i < n; i++)
		if (handles[i])
			th->api.assay_torch_release(handles[i]);
	mem_free(handles);
}

static int to_value(void *ctx, void *handle, struct value **out, struct err *e)
{
	struct tensor *t;
	int rc = th_library.to_tensor(ctx, handle, &t, e);

	if (rc)
		return rc;
	*out = value_tensor(t, e);
	return *out ? 0 : e->code;
}

static int torch_run(void *ctx, void *session, const struct named_value *in, size_t n_in, const char *const *names,
		     struct value **out, size_t n_out, struct err *e)
{
	void **handles = mem_array(n_out + 1, sizeof *handles);
	size_t n = 0;
	struct th *th = ctx;
	int rc;

	if (!handles)
		return err_nomem(e, "outputs", n_out * sizeof *handles);
	rc = th->jit ? torch_run_compiled(th, session, in, n_in, names, handles, n_out, e)
		     : bind_run(session, in, n_in, names, handles, n_out, NULL, NULL, e);

	if (rc) {
		mem_free(handles);
		return rc;
	}
	while (n < n_out && !rc) {
		rc = to_value(ctx, handles[n], &out[n], e);
		n += !rc;
	}
	while (rc && n)
		value_unref(out[--n]);
	release_all(ctx, handles, n_out);
	return rc;
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

/* What gradients are wanted of; the driver shows every input and initializer. */
struct torch_wanted {
	struct th *th;
	const char *const *names;
	void **handles;
	size_t n;
};

static int mark(void *arg, const struct wire *w, void *handle, struct err *e)
{
	struct torch_wanted *want = arg;

	for (size_t i = 0; i < want->n; i++) {
		if (want->handles[i] || strcmp(want->names[i], w->name))
			continue;
		want->handles[i] = want->th->api.assay_torch_retain(handle);
		if (!want->handles[i] || want->th->api.assay_torch_requires_grad(handle, 1)) {
			th_failed(want->th, "record gradients", e);
			return err_prefix(e, "'%s'", w->name);
		}
	}
	return 0;
}

/* Initializers outlive the run: they must not go on recording. */
static void unmark(struct torch_wanted *want)
{
	for (size_t i = 0; want->handles && i < want->n; i++)
		if (want->handles[i])
			want->th->api.assay_torch_requires_grad(want->handles[i], 0);
	release_all(want->th, want->handles, want->n);
	want->handles = NULL;
}

static int check_marked(const struct torch_wanted *want, struct err *e)
{
	for (size_t i = 0; i < want->n; i++)
		if (!want->handles[i])
			return err_set(e, ERR_INPUT, "gradients are wanted of '%s', which no node of the model reads",
				       want->names[i]);
	return 0;
}

static int make_seeds(struct th *th, const struct named_value *seeds, size_t n, void **out, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (!seeds[i].value || seeds[i].value->kind != VALUE_TENSOR)
			return err_set(e, ERR_INPUT, "the seed of '%s' is not a tensor", seeds[i].name);
		out[i] = th_library.from_tensor(th, seeds[i].value->tensor, e);
		if (!out[i])
			return e->code;
	}
	return 0;
}

/* handles of the gradients → tensors */
static int take_gradients(struct th *th, void *const *handles, size_t n, struct tensor **grads, struct err *e)
{
	size_t done = 0;
	int rc = 0;

	while (done < n && !rc) {
		rc = th_library.to_tensor(th, handles[done], &grads[done], e);
		done += !rc;
	}
	while (rc && done)
		tensor_unref(grads[--done]);
	return rc;
}

static int run_backward(struct th *th, struct bind_session *s, const struct named_value *in, size_t n_in,
			const struct named_value *seeds, size_t n_seeds, struct torch_wanted *want, void **outputs,
			void **given, void **grads, struct err *e)
{
	const char **names = mem_array(n_seeds + 1, sizeof *names);
	int rc = names ? 0 : err_nomem(e, "names", 0);

	for (size_t i = 0; i < n_seeds && !rc; i++)
		names[i] = seeds[i].name;
	if (!rc)
		rc = bind_run(s, in, n_in, names, outputs, n_seeds, mark, want, e);
	if (!rc)
		rc = check_marked(want, e);
	if (!rc)
		rc = make_seeds(th, seeds, n_seeds, given, e);
	if (!rc && th->api.assay_torch_backward(outputs, given, n_seeds, want->handles, want->n, grads))
		rc = th_failed(th, "compute gradients", e);
	mem_free(names);
	return rc;
}

static int torch_backward(void *ctx, void *session, const struct named_value *in, size_t n_in,
			  const struct named_value *seeds, size_t n_seeds, const char *const *wanted, size_t n_wanted,
			  struct tensor **grads, struct err *e)
{
	struct th *th = ctx;
	struct torch_wanted want = {th, wanted, mem_array(n_wanted + 1, sizeof *want.handles), n_wanted};
	void **outputs = mem_array(n_seeds + 1, sizeof *outputs), **given = mem_array(n_seeds + 1, sizeof *given);
	void **handles = mem_array(n_wanted + 1, sizeof *handles);
	int rc = want.handles && outputs && given && handles ? 0 : err_nomem(e, "gradients", 0);

	if (!rc && th->api.assay_torch_grad_mode(1))
		rc = th_failed(th, "record gradients", e);
	if (!rc)
		rc = run_backward(th, session, in, n_in, seeds, n_seeds, &want, outputs, given, handles, e);
	if (!rc)
		rc = take_gradients(th, handles, n_wanted, grads, e);
	th->api.assay_torch_grad_mode(0);
	release_all(th, handles, n_wanted);
	release_all(th, given, n_seeds);
	release_all(th, outputs, n_seeds);
	unmark(&want);
	return rc;
}

static const char *const *torch_operators(void *ctx)
{
	(void)ctx;
	return bind_operators(&th_library);
}

const struct backend backend_torch = {
	.api = BACKEND_API,
	.name = "torch",
	.library = "torch",
	.open = torch_open,
	.close = torch_close,
	.load = torch_load,
	.unload = torch_unload,
	.outputs = torch_outputs,
	.run = torch_run,
	.backward = torch_backward,
	.invoke = torch_invoke,
	.list = torch_list,
	.operators = torch_operators,
};
