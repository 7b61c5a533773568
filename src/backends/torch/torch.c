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
		return backend_cannot_open(path, e);
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
	if (!rc &&
	    (th->api.assay_torch_configure((int)backend_option_int(o, "threads", 1), SEED) ||
	     th->api.assay_torch_use_device(backend_option(o, "device", "cpu"), backend_option_int(o, "tf32", 0) != 0)))
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

static int torch_load(void *ctx, const struct backend_model *m, void **session, struct err *e)
{
	struct bind_session *s;
	int rc = check_options(&m->options, e);

	if (!rc)
		rc = bind_open(&th_library, ctx, m, &s, e);
	if (!rc)
		*session = s;
	return rc;
}

static void release_all(struct th *th, void **handles, size_t n)
{
	for (size_t i = 0; handles && i < n; i++)
		if (handles[i])
			th->api.assay_torch_release(handles[i]);
	mem_free(handles);
}

static int torch_run(void *ctx, void *session, const struct backend_run *q, struct value **out, struct err *e)
{
	void **handles = mem_array(q->wanted.n + 1, sizeof *handles);
	struct th *th = ctx;
	int rc;

	if (!handles)
		return err_nomem(e, "outputs", q->wanted.n * sizeof *handles);
	rc = th->jit ? torch_run_compiled(th, session, q, handles, e) : bind_run(session, q, handles, NULL, NULL, e);
	if (!rc)
		rc = bind_take_values(session, handles, q->wanted.n, out, e);
	mem_free(handles);
	return rc;
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

/* One pass of gradients: handles of what is wanted, of outputs and seeds by seed, and of the gradients. */
struct torch_pass {
	struct th *th;
	const struct backend_gradient *q;
	void **wanted, **outputs, **seeds, **grads;
};

static int pass_init(struct torch_pass *p, struct th *th, const struct backend_gradient *q, struct err *e)
{
	size_t n = q->seeds.n + 1, m = q->wanted.n + 1;

	*p = (struct torch_pass){th,
				 q,
				 mem_array(m, sizeof *p->wanted),
				 mem_array(n, sizeof *p->outputs),
				 mem_array(n, sizeof *p->seeds),
				 mem_array(m, sizeof *p->grads)};
	return p->wanted && p->outputs && p->seeds && p->grads ? 0 : err_nomem(e, "gradients", 0);
}

/* Initializers outlive the run: they must not go on recording. */
static void pass_release(struct torch_pass *p)
{
	release_all(p->th, p->grads, p->q->wanted.n);
	release_all(p->th, p->seeds, p->q->seeds.n);
	release_all(p->th, p->outputs, p->q->seeds.n);
	for (size_t i = 0; p->wanted && i < p->q->wanted.n; i++)
		if (p->wanted[i])
			p->th->api.assay_torch_requires_grad(p->wanted[i], 0);
	release_all(p->th, p->wanted, p->q->wanted.n);
}

/* The driver shows every input and initializer. */
static int mark(void *arg, const struct wire *w, void *handle, struct err *e)
{
	struct torch_pass *p = arg;

	for (size_t i = 0; i < p->q->wanted.n; i++) {
		if (p->wanted[i] || strcmp(p->q->wanted.at[i], w->name))
			continue;
		p->wanted[i] = p->th->api.assay_torch_retain(handle);
		if (!p->wanted[i] || p->th->api.assay_torch_requires_grad(handle, 1)) {
			th_failed(p->th, "record gradients", e);
			return err_prefix(e, "'%s'", w->name);
		}
	}
	return 0;
}

static int check_marked(const struct torch_pass *p, struct err *e)
{
	for (size_t i = 0; i < p->q->wanted.n; i++)
		if (!p->wanted[i])
			return err_set(e, ERR_INPUT, "gradients are wanted of '%s', which no node of the model reads",
				       p->q->wanted.at[i]);
	return 0;
}

static int make_seeds(struct torch_pass *p, struct err *e)
{
	const struct backend_values *given = &p->q->seeds;

	for (size_t i = 0; i < given->n; i++) {
		if (!given->at[i].value || given->at[i].value->kind != VALUE_TENSOR)
			return err_set(e, ERR_INPUT, "the seed of '%s' is not a tensor", given->at[i].name);
		p->seeds[i] = th_library.from_tensor(p->th, given->at[i].value->tensor, e);
		if (!p->seeds[i])
			return e->code;
	}
	return 0;
}

static int take_gradients(const struct torch_pass *p, struct tensor **grads, struct err *e)
{
	size_t done = 0;
	int rc = 0;

	while (done < p->q->wanted.n && !rc) {
		rc = th_library.to_tensor(p->th, p->grads[done], &grads[done], e);
		done += !rc;
	}
	while (rc && done)
		tensor_unref(grads[--done]);
	return rc;
}

/* Runs the outputs that have seeds. */
static int run_marked(struct torch_pass *p, struct bind_session *s, struct err *e)
{
	size_t n = p->q->seeds.n;
	const char **names = mem_array(n + 1, sizeof *names);
	int rc = names ? 0 : err_nomem(e, "names", 0);

	for (size_t i = 0; i < n && !rc; i++)
		names[i] = p->q->seeds.at[i].name;
	if (!rc)
		rc = bind_run(s, &(struct backend_run){p->q->in, {names, n}}, p->outputs, mark, p, e);
	mem_free(names);
	return rc ? rc : check_marked(p, e);
}

static int torch_backward(void *ctx, void *session, const struct backend_gradient *q, struct tensor **grads,
			  struct err *e)
{
	struct th *th = ctx;
	struct torch_pass p;
	int rc = pass_init(&p, th, q, e);

	if (!rc && th->api.assay_torch_grad_mode(1))
		rc = th_failed(th, "record gradients", e);
	th->training = 1;
	if (!rc)
		rc = run_marked(&p, session, e);
	th->training = 0;
	if (!rc)
		rc = make_seeds(&p, e);
	if (!rc && th->api.assay_torch_backward(p.outputs, p.seeds, q->seeds.n, p.wanted, q->wanted.n, p.grads))
		rc = th_failed(th, "compute gradients", e);
	if (!rc)
		rc = take_gradients(&p, grads, e);
	th->api.assay_torch_grad_mode(0);
	pass_release(&p);
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
	.files = 1,
	.library = "torch",
	.open = torch_open,
	.close = torch_close,
	.load = torch_load,
	.unload = bind_unload,
	.outputs = bind_session_outputs,
	.run = torch_run,
	.backward = torch_backward,
	.invoke = torch_invoke,
	.list = torch_list,
	.operators = torch_operators,
};
