/* main.c - the worker program of TensorFlow. */
#include "backends/tf/backend.h"

int main(void)
{
	return worker_serve(&backend_tf);
}
