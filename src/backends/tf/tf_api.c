/* tf_api.c - see tf_api.h. */
#include "backends/tf/tf_api.h"

#include <dlfcn.h>
#include <string.h>

static int find(void *library, const char *path, const char *name, void *slot, size_t size, struct err *e)
{
	void *symbol = dlsym(library, name);

	if (!symbol)
		return err_set(e, ERR_UNSUPPORTED, "'%s' has no function '%s'", path, name);
	memcpy(slot, &symbol, size);
	return 0;
}

int tf_api_open(const char *path, struct tf_api *out, struct err *e)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return err_set(e, ERR_IO, "cannot open '%s': %s", path, dlerror());
#define F(result, name, arguments)                                         \
	if (find(library, path, #name, &out->name, sizeof out->name, e)) { \
		dlclose(library);                                          \
		return e->code;                                            \
	}
	TF_FUNCTIONS(F)
#undef F
	return 0;
}
