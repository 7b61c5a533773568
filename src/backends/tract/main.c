/* main.c - the worker program of tract. */
#include "backends/tract/tract.h"

int main(void)
{
	return worker_serve(&backend_tract);
}
