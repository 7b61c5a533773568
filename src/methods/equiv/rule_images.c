/* rule_images.c - rule 9: operations that are linear in an image's values give the same for images from 0 to 1, up to
 * the factor, and documented functions on images what their formulas say. The pairs are in data/equiv/images.tsv. */
#include "methods/equiv/equiv.h"

const struct equiv_rule rule_images = {9, "images", "normalized images as images", NULL};
