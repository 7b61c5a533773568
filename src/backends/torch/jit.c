/* jit.c - mode jit: a run is recorded by torch's tracer, and what was recorded is compiled and run by TorchScript.
 *
 * A recorded program holds the shapes and values that bindings have read, so that it is good for these inputs only:
 * each run records anew.  Initializers are constants of the program, which gives the compiler more to do.  The first
 * runs of a program are profiled; the one that counts comes after the optimizations. */
#include "backends/torch/torch.h"
#include "base/mem.h"

#define RUNS 3

/* The graph inputs of one recording, in the order of the program's inputs. */
struct recording {
	struct th *th;
	VEC(void *) inputs;
};

static int add_input(void *arg, const struct wire *w, void *handle, struct err *e)
{
	struct recording *r = arg;
	void *kept;

	if (!w->is_input || w->init)
		return 0;
	kept = r->th->api.assay_torch_retain(handle);
	if (kept && vec_push(&r->inputs, kept)) {
		r->th->api.assay_torch_release(kept);
		return err_nomem(e, "inputs", 0);
	}
	if (!kept || r->th->api.assay_torch_trace_input(handle))
		return th_failed(r->th, "record an input", e);
	return 0;
}

static void release_all(const struct th *th, void **handles, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (handles[i])
			th->api.assay_torch_release(handles[i]);
		handles[i] = NULL;
	}
}

/* Runs in eager mode and gives the program; what the run itself computed is dropped. */
static void *record(struct recording *r, struct bind_session *s, const struct backend_run *q, struct err *e)
{
	const struct torch_api *api = &r->th->api;
	size_t n_out = q->wanted.n;
	void **eager = mem_array(n_out + 1, sizeof *eager), *program = NULL;

	if (!eager) {
		err_nomem(e, "outputs", n_out * sizeof *eager);
		return NULL;
	}
	if (api->assay_torch_trace_begin()) {
		th_failed(r->th, "record", e);
	} else if (bind_run(s, q, eager, add_input, r, e)) {
		api->assay_torch_trace_abandon();
	} else {
		program = api->assay_torch_trace_end(eager, n_out);
		if (!program)
			th_failed(r->th, "compile", e);
		release_all(r->th, eager, n_out);
	}
	mem_free(eager);
	return program;
}

int torch_run_compiled(struct th *th, struct bind_session *s, const struct backend_run *q, void **out, struct err *e)
{
	struct recording r = {.th = th};
	size_t n_out = q->wanted.n;
	void *program = record(&r, s, q, e);
	int rc = program ? 0 : e->code;

	for (int i = 0; i < RUNS && !rc; i++) {
		release_all(th, out, n_out);
		if (th->api.assay_torch_program_run(program, r.inputs.at, r.inputs.n, out, n_out))
			rc = th_failed(th, "run a compiled program", e);
	}
	if (program)
		th->api.assay_torch_program_free(program);
	release_all(th, r.inputs.at, r.inputs.n);
	vec_release(&r.inputs);
	return rc;
}
