/* opencv.c - OpenCV's dnn module, from outside. */
#include "libraries/internal.h"

static const struct library_switch switches[] = {
	{"", "fusion=0", "fusion of layers", NULL},
	{"", "winograd=0", "Winograd convolutions", NULL},
	{"", "classic", "the new engine", NULL},
	{0},
};

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, "classic", "plain", 0}, /* no fusion of layers */
	{PAIR_OPTIMIZED, NULL, "classic", 1},    /* the other engine */
	{0},
};

const struct library library_opencv = {
	.name = "opencv",
	.switches = switches,
	.pairs = pairs,
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_READS, .text = repro_opencv, .package = "cv2"},
};
