/* modules.h - Python modules of an installed library, compiled once.
 *
 * A worker may not write into the folder of its library, so Python would compile all modules again each time one is
 * started: for onnxslim with sympy 4 of 5 seconds. */
#ifndef INSTALL_MODULES_H
#define INSTALL_MODULES_H

#include "base/err.h"

/* Compiles all modules below a folder.  What does not compile stays as it is: packages have templates and modules of
 * other Pythons.  An error only where Python cannot be run. */
int modules_compile(const char *folder, struct err *e);

#endif
