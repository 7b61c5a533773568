/* zoo_model.h - networks of the zoo with the trained weights that lie in the data folder, or in zoo/ of what was
 * fetched (place_deps()). */
#ifndef CASE_ZOO_MODEL_H
#define CASE_ZOO_MODEL_H

#include "base/buf.h"
#include "zoo/zoo.h"

/* Is there a file of trained weights? */
int zoo_model_is_trained(const char *name);

int zoo_model_make(const struct zoo_row *row, int opset, int64_t batch, uint64_t seed, int trained, struct model **out,
		   struct err *e);

/* ERR_IO when there is no such file, but a model in the same folder with a name like it, which the message has. */
int zoo_model_look_for(const char *path, struct err *e);

/* A model file, or, where there is none, the network of that name, trained where it can be: as libraries get it, and
 * read.  Where there is neither, the message names a network, or a model in the same folder, with a name like it. */
int zoo_model_open(const char *name, uint64_t seed, struct buf *bytes, struct model **m, struct err *e);
/* The same, with a network of the zoo built for so many items at once; a file is what it is. */
int zoo_model_open_for(const char *name, int64_t items, uint64_t seed, struct buf *bytes, struct model **m,
		       struct err *e);

#endif
