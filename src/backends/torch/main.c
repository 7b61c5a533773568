/* main.c - the worker program for PyTorch. */
#include "backends/torch/torch.h"

int main(void)
{
	return worker_serve(&backend_torch);
}
