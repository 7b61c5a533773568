/* main.c - the worker program of MXNet. */
#include "backends/mxnet/backend.h"

int main(void)
{
	return worker_serve(&backend_mxnet);
}
