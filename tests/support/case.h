/* case.h - the language of operator cases has moved to model/case.h. */
#include "model/case.h"
