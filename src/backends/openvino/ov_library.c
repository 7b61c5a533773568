/* ov_library.c - opening libopenvino_c and reading its errors; see ov.h. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/onnx/onnx.h"
#include "backends/openvino/ov.h"
#include "base/buf.h"
#include "worker/backend.h"

#define OLDEST_VERSION "2024.6" /* the first whose element types are numbered as in ov_api.h, apart from the offset */

/* The file's name may carry the version: libopenvino_c.so.2641. */
static int open_library(struct ov *o, const char *folder, struct err *e)
{
	char path[4096];
	int rc = backend_find_library(folder, "libopenvino_c.so", path, sizeof path, e);

	if (rc)
		return rc;
	o->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	return o->handle ? 0 : backend_cannot_open(path, e);
}

static int fill_api(struct ov *o, struct err *e)
{
	const char *missing = NULL;
	void *symbol;

#define F(result, name, arguments)          \
	symbol = dlsym(o->handle, #name);   \
	missing = symbol ? missing : #name; \
	memcpy(&o->api.name, &symbol, sizeof symbol);
	OV_OPTIONAL_FUNCTIONS(F)
	missing = NULL;
	OV_FUNCTIONS(F)
#undef F
	return missing ? err_set(e, ERR_UNSUPPORTED, "this libopenvino_c has no function '%s'", missing) : 0;
}

static int read_version(struct ov *o, struct err *e)
{
	struct ov_version v = {NULL, NULL};
	int rc = ov_check(o, o->api.ov_get_openvino_version(&v), "tell its version", e);

	if (rc)
		return rc;
	snprintf(o->version, sizeof o->version, "%.*s", (int)strcspn(v.build_number, "-"), v.build_number);
	o->api.ov_version_free(&v);
	if (strtod(o->version, NULL) < strtod(OLDEST_VERSION, NULL))
		return err_set(e, ERR_UNSUPPORTED, "OpenVINO %s is older than " OLDEST_VERSION, o->version);
	return 0;
}

/* One element of the type that is f64 or, with the older numbers, f32: its size tells which numbers these are. */
static int probe_elements(struct ov *o, struct err *e)
{
	struct ov_tensor *t = NULL;
	int64_t one = 1;
	size_t bytes = 0;
	int rc = ov_check(o, o->api.ov_tensor_create(OV_F64, (struct ov_shape){1, &one}, &t), "make a tensor", e);

	if (rc)
		return rc;
	rc = ov_check(o, o->api.ov_tensor_get_byte_size(t, &bytes), "tell a tensor's size", e);
	o->api.ov_tensor_free(t);
	if (!rc && bytes != sizeof(double) && bytes != sizeof(float))
		rc = err_set(e, ERR_UNSUPPORTED, "OpenVINO %s numbers its element types in a way assay does not know",
			     o->version);
	o->element_offset = bytes == sizeof(float);
	return rc;
}

int ov_open(struct ov *o, const char *folder, struct err *e)
{
	int rc = open_library(o, folder, e);

	if (!rc)
		rc = fill_api(o, e);
	if (!rc)
		rc = read_version(o, e);
	if (!rc)
		rc = probe_elements(o, e);
	if (!rc)
		rc = ov_check(o, o->api.ov_core_create(&o->core), "start", e);
	return rc;
}

void ov_close(struct ov *o)
{
	if (o->core)
		o->api.ov_core_free(o->core);
	/* the library stays loaded: its threads may still run */
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* How the library says that it does not have an operator, a type or an attribute value: it has no status for that. */
static const char *const unsupported_words[] = {
	"not support",        /* "is not supported", "operation X does not support …" */
	"n't support",        /* "CPU plug-in doesn't support X operation with dynamic rank" */
	"nsupported",         /* "Unsupported operation of type: …" */
	"ot implemented",     /* "… is not implemented" */
	"ot Implemented",     /* status text of the plugins */
	"No conversion rule", /* an operator the ONNX reader does not know */
	"must be a constant", /* valid in ONNX as a computed value */
	"{1} constant",
	"only supported", /* "X is only supported for 4D input tensors" */
	NULL,
};

/* Lines that carry nothing: where exceptions passed through, and advice. */
static const char *const empty_lines[] = {
	"Exception from ",
	"Check 'false' failed at ",
	"FrontEnd API failed with ",
	"Model wasn't fully converted.",
	"Summary:",
	"To facilitate the conversion of unsupported operations",
	NULL,
};

/* Adds the parts of a message, "-- Conv-21 with a message: …" each, that are consequences, or those that are not. */
static void add_parts(const char *text, int consequences, struct buf *out)
{
	for (const char *next; *text; text = next) {
		const char *known;
		size_t n;

		next = strstr(text + 1, "-- ");
		if (!next)
			next = text + strlen(text);
		n = (size_t)(next - text);
		known = strstr(text, "is_static()");
		if ((known && known < next) != consequences)
			continue;
		while (n && (text[n - 1] == ' ' || text[n - 1] == ';'))
			n--;
		buf_printf(out, "%s%.*s", out->len ? "; " : "", (int)n, text);
	}
}

/* The library lists all operators that it could not read, by name.  Behind one that failed, others miss the rank of
 * their input: they come last. */
static void put_causes_first(struct buf *text)
{
	struct buf sorted;

	if (!text->data || strncmp(text->data, "-- ", 3) != 0)
		return;
	buf_init(&sorted, 1 << 16);
	add_parts(text->data, 0, &sorted);
	add_parts(text->data, 1, &sorted);
	buf_release(text);
	*text = sorted;
}

int ov_check(const struct ov *o, int status, const char *doing, struct err *e)
{
	const char *last;
	struct buf text;
	int code;

	if (status == OV_OK)
		return 0;
	buf_init(&text, 1 << 16);
	last = o->api.ov_get_last_err_msg();
	if (last)
		onnx_one_line(last, empty_lines, &text);
	put_causes_first(&text);
	if (!text.len)
		buf_puts(&text, o->api.ov_get_error_info(status));
	code = status == OV_NOT_IMPLEMENTED || status == OV_NOT_IMPLEMENTED_IN_C ||
			       onnx_says(text.data ? text.data : "", unsupported_words)
		       ? ERR_UNSUPPORTED
		       : ERR_INPUT;
	err_set(e, code, "openvino cannot %s: %s", doing, text.data ? text.data : "no reason given");
	o->api.ov_free(last);
	buf_release(&text);
	return code;
}
