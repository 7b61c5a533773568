/* api.c - see api.h. */
#include "backends/tf/api.h"
#include "worker/backend.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_PARTS 3

/* Files of lib/ that make up the library, the last of them with the functions.  Those before it are opened for all to
 * see: the module of version 1 does not name what stands in for Python, nor where the framework lies. */
static const char *const layouts[][MAX_PARTS + 1] = {
	{"libtensorflow_cc.so.2"},
	{"libpython_stub.so", "libtensorflow_framework.so", "_pywrap_tensorflow_internal.so"},
};

#define N_LAYOUTS (sizeof layouts / sizeof *layouts)

static int make_path(const char *folder, const char *file, char *out, size_t size, struct err *e)
{
	return backend_find_library(folder, file, out, size, e);
}

/* The layout whose first file is there; the first of all when none is, for the message. */
static const char *const *find_layout(const char *folder)
{
	char path[4096];
	struct err ignored = {0};

	for (size_t i = 0; i < N_LAYOUTS; i++)
		if (!make_path(folder, layouts[i][0], path, sizeof path, &ignored) && !access(path, R_OK))
			return layouts[i];
	return layouts[0];
}

/* Came late, and nothing needs them to run. */
static int is_late(const char *name)
{
	return !strcmp(name, "TF_GetAllRegisteredKernels") || !strcmp(name, "TFE_ContextSetRunEagerOpAsFunction");
}

/* A function that is missing is an error; of TFE_*, it means that there is no eager mode. */
static int find(void *library, const char *name, void *slot, size_t size, struct tf_api *out, struct err *e)
{
	void *symbol = dlsym(library, name);

	if (!symbol && !is_late(name) && !strncmp(name, "TFE_", 4)) {
		out->has_eager = 0;
		return 0;
	}
	if (!symbol && !is_late(name))
		return err_set(e, ERR_UNSUPPORTED, "the library has no function '%s'", name);
	memcpy(slot, &symbol, size);
	return 0;
}

int tf_api_open(const char *folder, struct tf_api *out, struct err *e)
{
	const char *const *parts = find_layout(folder);
	void *library = NULL;
	char path[4096];

	for (; *parts; parts++) {
		if (make_path(folder, *parts, path, sizeof path, e))
			return e->code;
		library = dlopen(path, RTLD_LAZY | (parts[1] ? RTLD_GLOBAL : RTLD_LOCAL));
		if (!library)
			return backend_cannot_open(path, e);
	}
	out->has_eager = 1;
#define F(result, name, arguments)                                      \
	if (find(library, #name, &out->name, sizeof out->name, out, e)) \
		return err_prefix(e, "'%s'", path);
	TF_FUNCTIONS(F)
#undef F
	return 0;
}
