/* main.c - the worker program of CNTK. */
#include "backends/cntk/cntk.h"

int main(void)
{
	return worker_serve(&backend_cntk);
}
