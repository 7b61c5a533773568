/* main.c - assay-worker-rewrite. */
#include "worker/backend.h"

extern const struct backend backend_rewrite;

int main(void)
{
	return worker_serve(&backend_rewrite);
}
