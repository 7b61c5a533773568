/* main.c - the worker program of OpenVINO. */
#include "backends/openvino/openvino.h"

int main(void)
{
	return worker_serve(&backend_openvino);
}
