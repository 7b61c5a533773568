/* tract.h - tract as a backend. */
#ifndef BACKENDS_TRACT_TRACT_H
#define BACKENDS_TRACT_TRACT_H

#include "worker/backend.h"

extern const struct backend backend_tract;

#endif
