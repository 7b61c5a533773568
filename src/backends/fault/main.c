/* main.c - assay-worker-fault. */
#include "worker/backend.h"

extern const struct backend backend_fault;

int main(void)
{
	return worker_serve(&backend_fault);
}
