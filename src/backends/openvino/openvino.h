/* openvino.h - OpenVINO as a backend. */
#ifndef BACKENDS_OPENVINO_OPENVINO_H
#define BACKENDS_OPENVINO_OPENVINO_H

#include "worker/backend.h"

extern const struct backend backend_openvino;

#endif
