/* models.h - models in tests: sound, the same, and still so when they are written and read.  What fails ends the test.
 */
#ifndef TESTS_SUPPORT_MODELS_H
#define TESTS_SUPPORT_MODELS_H

#include "model/model.h"
#include "onnx-ml.pb-c.h"

/* As check_invariants() and same_model() of support/same.h say. */
void models_assert_sound(const struct model *m);
void models_assert_same(const struct model *a, const struct model *b);

/* A message as a model, which is sound. */
struct model *models_read(const Onnx__ModelProto *p);

/* What comes of writing a model and reading it. */
struct model *models_again(const struct model *m);
/* … is the same. */
void models_assert_round_trip(const struct model *m);

#endif
