/* main.c - assay-worker-ort. */
#include "worker/backend.h"

extern const struct backend backend_ort;

int main(void)
{
	return worker_serve(&backend_ort);
}
