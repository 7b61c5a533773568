/* library.c - opening tract and reading its errors; see internal.h. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/onnx/onnx.h"
#include "backends/tract/internal.h"
#include "worker/backend.h"

#define MAX_MESSAGE ((size_t)1 << 20)

static int fill_api(struct tract *t, struct err *e)
{
	void *symbol;

#define F(result, name, arguments)                                                            \
	symbol = dlsym(t->handle, #name);                                                     \
	if (!symbol)                                                                          \
		return err_set(e, ERR_UNSUPPORTED, "this tract has no function '%s'", #name); \
	memcpy(&t->api.name, &symbol, sizeof symbol);
	TRACT_FUNCTIONS(F)
#undef F
	return 0;
}

int tract_open_library(struct tract *t, const char *folder, struct err *e)
{
	char path[4096];
	int rc = backend_find_library(folder, "libtract.so", path, sizeof path, e);

	if (rc)
		return rc;
	setenv("RUST_LIB_BACKTRACE", "0", 1); /* frames are not wanted, and slow to collect */
	t->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!t->handle)
		return backend_cannot_open(path, e);
	rc = fill_api(t, e);
	return rc ? rc : tract_check(t, t->api.tract_onnx_create(&t->onnx), "start", e);
}

void tract_close_library(struct tract *t)
{
	if (t->onnx)
		t->api.tract_onnx_destroy(&t->onnx);
}

/* How the library says that it does not have something: it has no status for that.  Values that ONNX lets be computed
 * but tract wants to know beforehand count as well. */
static const char *const unsupported_words[] = {
	"nimplemented", /* the operator that stands in for unknown ones */
	"ot implemented",
	"not support",
	"n't support",
	"only supported",            /* "seq_len only supported for trivial noop case" */
	"nsupported",                /* "Unsupported DatumType in the public API String" */
	"Unknown DatumType",         /* bfloat16, float8, four bits */
	"unknown enumeration value", /* element types that came later */
	"a constant",                /* "expected axes as a constant" */
	"be constant",               /* "Expect padding to be constant" */
	"a const",                   /* "y_scale must be a const" */
	"not const",                 /* "Params are not const" */
	"Expect constant",
	"known scalar",
	"input is variable",
	"to be determined",  /* OneHot: "Expected dim and value to be determined" */
	"Neither sizes nor", /* Resize with computed scales */
	"has no type value", /* sequences and optionals as inputs */
	"can not be typed",  /* output shapes that depend on values */
	NULL,
};

static const char *const empty_lines[] = {"Caused by:", NULL};

/* The message without the list of stack frames that may follow it. */
static void tidy(const char *message, struct buf *out)
{
	const char *frames = strstr(message, "Stack backtrace:");
	struct buf head;

	buf_init(&head, MAX_MESSAGE);
	buf_add(&head, message, frames ? (size_t)(frames - message) : strlen(message));
	if (head.data)
		onnx_one_line(head.data, empty_lines, out);
	buf_release(&head);
}

int tract_check(const struct tract *t, int result, const char *doing, struct err *e)
{
	const char *last;
	struct buf text;
	int code;

	if (!result)
		return 0;
	buf_init(&text, MAX_MESSAGE);
	last = t->api.tract_get_last_error();
	tidy(last ? last : "no reason given", &text);
	code = onnx_says(text.data ? text.data : "", unsupported_words) ? ERR_UNSUPPORTED : ERR_INPUT;
	err_set(e, code, "tract cannot %s: %s", doing, text.data ? text.data : "no reason given");
	buf_release(&text);
	return code;
}
