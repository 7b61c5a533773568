/* main.c - the worker program of TensorFlow. */
#include "backends/tf/backend_tf.h"

int main(void)
{
	return worker_serve(&backend_tf);
}
