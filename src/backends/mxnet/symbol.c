/* symbol.c - mode=symbolic: a model as one graph of MXNet's symbols, run by its executor.
 *
 * The bindings need shapes, and some need values, so a run is first made operation by operation, as in the imperative
 * mode; each operation is written down as a symbol too.  Arrays that no operation made are variables of the graph.  The
 * outputs come from the executor, which plans memory and runs its passes over the whole graph. */
#include <stdio.h>
#include <string.h>

#include "backends/mxnet/mxnet.h"
#include "base/mem.h"

static const struct mx_seen *find(const struct mx *mx, const void *array)
{
	for (size_t i = mx->seen.n; i > 0; i--)
		if (mx->seen.at[i - 1].array == array)
			return &mx->seen.at[i - 1];
	return NULL;
}

/* From now on the symbol stands for the array; symbols live until mx_trace_end(). */
static int remember(struct mx *mx, void *array, void *symbol, struct err *e)
{
	const struct mx_seen row = {array, symbol};

	return vec_push(&mx->seen, row) ? err_nomem(e, "a graph", 0) : 0;
}

static int own(struct mx *mx, void *symbol, struct err *e)
{
	return vec_push(&mx->symbols, symbol) ? err_nomem(e, "a graph", 0) : 0;
}

/* The symbol of an array; a new variable, which keeps the array, for one that no operation made. */
static void *symbol_of(struct mx *mx, void *array, struct err *e)
{
	const struct mx_seen *seen = find(mx, array);
	struct mx_variable v = {.array = NULL};
	void *symbol = NULL;

	if (seen)
		return seen->symbol;
	snprintf(v.name, sizeof v.name, "v%zu", mx->variables.n);
	if (mx->api.MXSymbolCreateVariable(v.name, &symbol) || mx->api.MXShallowCopyNDArray(array, &v.array)) {
		mx_fail(mx, "make a variable", e);
		return NULL;
	}
	if (own(mx, symbol, e) || vec_push(&mx->variables, v) || remember(mx, array, symbol, e))
		return NULL;
	return symbol;
}

void mx_trace_alias(struct mx *mx, void *array, void *copy)
{
	const struct mx_seen *seen = mx->tracing ? find(mx, array) : NULL;
	struct err ignored = ERR_INIT;

	if (seen)
		remember(mx, copy, seen->symbol, &ignored); /* without it the copy is a variable: as right */
}

void mx_trace_forget(struct mx *mx, const void *array)
{
	for (size_t i = mx->tracing ? mx->seen.n : 0; i > 0; i--)
		if (mx->seen.at[i - 1].array == array)
			vec_remove(&mx->seen, i - 1);
}

int mx_trace_op(struct mx *mx, void *creator, const struct mx_invocation *v, void **out, int n_out, struct err *e)
{
	void **inputs = mem_array((size_t)v->n_in, sizeof *inputs), *symbol = NULL, *part;
	char name[32];
	int rc = inputs ? 0 : err_nomem(e, "a graph", 0);

	for (int i = 0; i < v->n_in && !rc; i++)
		rc = (inputs[i] = symbol_of(mx, v->in[i], e)) ? 0 : e->code;
	snprintf(name, sizeof name, "n%zu", mx->symbols.n);
	if (!rc && (mx->api.MXSymbolCreateAtomicSymbol(creator, (uint32_t)v->n_params, v->keys, v->values, &symbol) ||
		    mx->api.MXSymbolCompose(symbol, name, (uint32_t)v->n_in, NULL, inputs)))
		rc = mx_fail(mx, "write an operation as a symbol", e);
	if (symbol && own(mx, symbol, e))
		rc = e->code;
	for (int i = 0; i < n_out && !rc; i++) {
		part = symbol;
		if (n_out > 1 && mx->api.MXSymbolGetOutput(symbol, (uint32_t)i, &part))
			rc = mx_fail(mx, "take an output of a symbol", e);
		if (!rc && part != symbol)
			rc = own(mx, part, e);
		if (!rc)
			rc = remember(mx, out[i], part, e);
	}
	mem_free(inputs);
	return rc;
}

void mx_trace_begin(struct mx *mx)
{
	mx->tracing = 1;
}

void mx_trace_end(struct mx *mx)
{
	mx->tracing = 0;
	for (size_t i = 0; i < mx->symbols.n; i++)
		mx->api.MXSymbolFree(mx->symbols.at[i]);
	for (size_t i = 0; i < mx->variables.n; i++)
		mx_release(mx, mx->variables.at[i].array);
	mx->symbols.n = mx->variables.n = mx->seen.n = 0;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* The arrays of variables by name, in the order that a symbol lists them in. */
static int arrays_named(struct mx *mx, uint32_t n, const char *const *names, void **out, struct err *e)
{
	for (uint32_t i = 0; i < n; i++) {
		out[i] = NULL;
		for (size_t k = 0; k < mx->variables.n && !out[i]; k++)
			if (!strcmp(mx->variables.at[k].name, names[i]))
				out[i] = mx->variables.at[k].array;
		if (!out[i])
			return err_set(e, ERR_UNSUPPORTED, "the symbol has a variable '%s' of its own", names[i]);
	}
	return 0;
}

/* Binds a group of symbols to the arrays of its variables. */
static int bind_executor(struct mx *mx, void *group, void **executor, struct err *e)
{
	const char **names = NULL, **states = NULL;
	uint32_t n = 0, n_states = 0, *requests;
	void **args, **gradients, **aux;
	int rc = 0;

	if (mx->api.MXSymbolListArguments(group, &n, &names))
		return mx_fail(mx, "list arguments", e);
	args = mem_array(n, sizeof *args);
	gradients = mem_array(n, sizeof *gradients);
	requests = mem_array(n, sizeof *requests);
	aux = mem_array(mx->variables.n, sizeof *aux);
	if (!args || !gradients || !requests || !aux)
		rc = err_nomem(e, "arguments", 0);
	if (!rc)
		rc = arrays_named(mx, n, names, args, e);
	if (!rc && mx->api.MXSymbolListAuxiliaryStates(group, &n_states, &states))
		rc = mx_fail(mx, "list states", e);
	if (!rc && n_states > mx->variables.n)
		rc = err_set(e, ERR_UNSUPPORTED, "the symbol has states of its own");
	if (!rc)
		rc = arrays_named(mx, n_states, states, aux, e);
	if (!rc && mx->api.MXExecutorBindEX(group, MX_DEVICE_CPU, 0, 0, NULL, NULL, NULL, n, args, gradients, requests,
					    n_states, aux, NULL, executor))
		rc = mx_fail(mx, "bind the graph", e);
	mem_free(args);
	mem_free(gradients);
	mem_free(requests);
	mem_free(aux);
	return rc;
}

/* The outputs of an executor in the place of arrays[at[i]]. */
static int exchange(struct mx *mx, void *executor, void **arrays, const size_t *at, size_t n, struct err *e)
{
	void **outputs = NULL;
	uint32_t count = 0;

	if (mx->api.MXExecutorForward(executor, 0) || mx->api.MXExecutorOutputs(executor, &count, &outputs))
		return mx_fail(mx, "run the graph", e);
	for (uint32_t i = 0; i < count; i++)
		if (i < n && count == n) {
			mx_release(mx, arrays[at[i]]);
			arrays[at[i]] = outputs[i];
		} else {
			mx_release(mx, outputs[i]);
		}
	return count == n ? 0 : err_set(e, ERR_INTERNAL, "the graph gave %u outputs, not %zu", count, n);
}

/* The graph as its JSON text describes it, in its place. */
static int save_and_load(struct mx *mx, void **group, struct err *e)
{
	const char *text = NULL;
	void *loaded = NULL;

	if (mx->api.MXSymbolSaveToJSON(*group, &text) || mx->api.MXSymbolCreateFromJSON(text, &loaded))
		return mx_fail(mx, "save and load a graph", e);
	mx->api.MXSymbolFree(*group);
	*group = loaded;
	return 0;
}

int mx_trace_run(struct mx *mx, void **arrays, size_t n, struct err *e)
{
	void **symbols = mem_array(n, sizeof *symbols), *group = NULL, *executor = NULL;
	size_t *at = mem_array(n, sizeof *at), found = 0;
	int rc = symbols && at ? 0 : err_nomem(e, "outputs", 0);

	for (size_t i = 0; i < n && !rc; i++) {
		const struct mx_seen *seen = find(mx, arrays[i]);

		if (!seen) /* what the driver computed, or an input as it is */
			continue;
		symbols[found] = seen->symbol;
		at[found++] = i;
	}
	if (!rc && found && mx->api.MXSymbolCreateGroup((uint32_t)found, symbols, &group))
		rc = mx_fail(mx, "make the graph", e);
	if (!rc && found && mx->saved)
		rc = save_and_load(mx, &group, e);
	if (!rc && found)
		rc = bind_executor(mx, group, &executor, e);
	if (!rc && found)
		rc = exchange(mx, executor, arrays, at, found, e);
	if (executor)
		mx->api.MXExecutorFree(executor);
	if (group)
		mx->api.MXSymbolFree(group);
	mem_free(symbols);
	mem_free(at);
	return rc;
}
