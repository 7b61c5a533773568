/* worker.c - assay-worker NAME: the worker program, for each library that is bound in C.
 *
 * One program for all of them: they share nearly all of their code, and packages carry it once.  A process opens one
 * library, whose name is its argument. */
#include <string.h>

#include "worker/backend.h"

#define NO_SUCH_LIBRARY 2 /* exit status: whoever started it has another list than this one */

#define WORKERS(X) X(cntk) X(fault) X(mxnet) X(openvino) X(ort) X(rewrite) X(tf) X(torch) X(tract)

#define X(name) extern const struct backend backend_##name;
WORKERS(X)
#undef X

static const struct {
	const char *name;
	const struct backend *backend;
} rows[] = {
#define X(name) {#name, &backend_##name},
	WORKERS(X)
#undef X
};

int main(int argc, char **argv)
{
	const char *slash = argc == 2 ? strrchr(argv[1], '/') : NULL; /* it stands in a folder that has such a file */
	const char *name = slash ? slash + 1 : argc == 2 ? argv[1] : "";

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].name, name))
			return worker_serve(rows[i].backend);
	return NO_SUCH_LIBRARY;
}
