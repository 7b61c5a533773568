/* convolutional.c - the four convolutional seeds of Audee, the network of a case of the meta operators (MobileNetV1),
 * and two shapes of graph that these lack: long concatenations (DenseNet) and parallel branches (Inception).
 *
 * All but LeNet-5 are the variants for images of 32 x 32 in ten classes.  Where ResNet-20 and the MobileNets halve the
 * image they pad as their originals in TensorFlow do, which is not alike on both sides. */
#include <stdio.h>

#include "zoo/layers.h"
#include "zoo/zoo.h"

#define CLASSES 10

static struct wire *image_input(struct build *b, int64_t batch, int64_t channels, int64_t size)
{
	return build_input(b, "image", DT_FLOAT, 4, (int64_t[]){batch, channels, size, size});
}

/* "stage2_block1": lives as long as the model. */
static const char *block_name(struct build *b, const char *what, int i, int j)
{
	char text[64];

	snprintf(text, sizeof text, "%s%d_%d", what, i, j);
	return build_name(b, "net", text);
}

static struct wire *global_average(struct build *b, struct wire *x)
{
	return layer_flatten(b, "flat", build_op(b, "GlobalAveragePool", "pool", x, NULL));
}

/* ---- LeNet-5 ----------------------------------------------------------------------------------------------------- */

static void build_lenet5(struct build *b, int64_t batch)
{
	struct wire *x = image_input(b, batch, 1, 28);

	x = layer_conv(b, "conv1", x, &(struct conv_shape){.in = 1, .out = 6, .kernel = 5, .stride = 1, .pad = 2});
	x = build_op(b, "Relu", "relu1", x, NULL);
	x = layer_pool(b, "pool1", "MaxPool", x, 2, 2);
	x = layer_conv(b, "conv2", x, &(struct conv_shape){.in = 6, .out = 16, .kernel = 5, .stride = 1});
	x = build_op(b, "Relu", "relu2", x, NULL);
	x = layer_pool(b, "pool2", "MaxPool", x, 2, 2);
	x = layer_flatten(b, "flat", x);
	x = layer_dense(b, "fc1", x, 400, 120);
	x = build_op(b, "Relu", "relu3", x, NULL);
	x = layer_dense(b, "fc2", x, 120, 84);
	x = build_op(b, "Relu", "relu4", x, NULL);
	layer_classify(b, x, 84, CLASSES);
}

const struct zoo_network zoo_lenet5 = {
	.summary = "LeNet-5 on 28 x 28 digits",
	.dataset = "digits",
	.seed_of_papers = 1,
	.build = build_lenet5,
	.epochs = 20,
	.rate = 2e-3,
};

/* ---- LeNet-1 ----------------------------------------------------------------------------------------------------- */

static void build_lenet1(struct build *b, int64_t batch)
{
	struct wire *x = image_input(b, batch, 1, 28);

	x = layer_conv(b, "conv1", x, &(struct conv_shape){.in = 1, .out = 4, .kernel = 5, .stride = 1});
	x = build_op(b, "Tanh", "tanh1", x, NULL);
	x = layer_pool(b, "pool1", "AveragePool", x, 2, 2);
	x = layer_conv(b, "conv2", x, &(struct conv_shape){.in = 4, .out = 12, .kernel = 5, .stride = 1});
	x = build_op(b, "Tanh", "tanh2", x, NULL);
	x = layer_pool(b, "pool2", "AveragePool", x, 2, 2);
	layer_classify(b, layer_flatten(b, "flat", x), 192, CLASSES);
}

const struct zoo_network zoo_lenet1 = {
	.summary = "LeNet-1 on 28 x 28 digits",
	.dataset = "digits",
	.build = build_lenet1,
	.epochs = 8,
	.rate = 5e-3,
};

/* ---- ResNet-20: three stages of three blocks --------------------------------------------------------------------- */

static struct wire *residual_block(struct build *b, const char *name, struct wire *x, int64_t in, int64_t out,
				   int64_t stride)
{
	struct wire *y, *shortcut = x;

	y = layer_conv_norm(b, build_name(b, name, "a"), x,
			    &(struct conv_shape){.in = in, .out = out, .kernel = 3, .stride = stride, .same = 1},
			    "Relu");
	y = layer_conv_norm(b, build_name(b, name, "b"), y,
			    &(struct conv_shape){.in = out, .out = out, .kernel = 3, .stride = 1, .pad = 1}, "");
	if (in != out)
		shortcut =
			layer_conv_norm(b, build_name(b, name, "shortcut"), x,
					&(struct conv_shape){.in = in, .out = out, .kernel = 1, .stride = stride}, "");
	y = build_op(b, "Add", build_name(b, name, "add"), y, shortcut, NULL);
	return build_op(b, "Relu", build_name(b, name, "relu"), y, NULL);
}

static void build_resnet20(struct build *b, int64_t batch)
{
	struct wire *x = image_input(b, batch, 3, 32);
	int64_t in = 16;

	x = layer_conv_norm(b, "stem", x, &(struct conv_shape){.in = 3, .out = 16, .kernel = 3, .stride = 1, .pad = 1},
			    "Relu");
	for (int stage = 0; stage < 3; stage++)
		for (int block = 0; block < 3; block++) {
			int64_t out = 16 << stage;

			x = residual_block(b, block_name(b, "stage", stage + 1, block + 1), x, in, out,
					   in == out ? 1 : 2);
			in = out;
		}
	layer_classify(b, global_average(b, x), 64, CLASSES);
}

const struct zoo_network zoo_resnet20 = {
	.summary = "ResNet-20 on 32 x 32 images",
	.dataset = "pictures",
	.seed_of_papers = 1,
	.build = build_resnet20,
	.epochs = 8,
	.rate = 3e-3,
};

/* ---- VGG-16 ------------------------------------------------------------------------------------------------------ */

static void build_vgg16(struct build *b, int64_t batch)
{
	static const int convolutions[] = {2, 2, 3, 3, 3};
	static const int64_t channels[] = {64, 128, 256, 512, 512};
	struct wire *x = image_input(b, batch, 3, 32);
	int64_t in = 3;

	for (int stage = 0; stage < 5; stage++) {
		for (int i = 0; i < convolutions[stage]; i++) {
			const char *name = block_name(b, "conv", stage + 1, i + 1);

			x = layer_conv(b, name, x,
				       &(struct conv_shape){
					       .in = in, .out = channels[stage], .kernel = 3, .stride = 1, .pad = 1});
			x = build_op(b, "Relu", build_name(b, name, "relu"), x, NULL);
			in = channels[stage];
		}
		x = layer_pool(b, block_name(b, "pool", stage + 1, 0), "MaxPool", x, 2, 2);
	}
	x = layer_flatten(b, "flat", x);
	x = layer_dense(b, "fc1", x, 512, 512);
	x = build_op(b, "Relu", "fc1.relu", x, NULL);
	layer_classify(b, x, 512, CLASSES);
}

const struct zoo_network zoo_vgg16 = {
	.summary = "VGG-16 on 32 x 32 images",
	.dataset = "pictures",
	.seed_of_papers = 1,
	.build = build_vgg16,
	.epochs = 1,
	.rate = 3e-4,
};

/* ---- MobileNetV1: 3 x 3 for each channel alone, then 1 x 1 over all --------------------------------------------- */

static void build_mobilenetv1(struct build *b, int64_t batch)
{
	static const struct {
		int64_t channels, stride;
	} blocks[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
		      {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
	struct wire *x = image_input(b, batch, 3, 32);
	int64_t in = 32;

	x = layer_conv_norm(b, "stem", x, &(struct conv_shape){.in = 3, .out = 32, .kernel = 3, .stride = 1, .pad = 1},
			    "Relu");
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		const char *name = block_name(b, "block", (int)i + 1, 0);

		x = layer_conv_norm(
			b, build_name(b, name, "depthwise"), x,
			&(struct conv_shape){
				.in = in, .out = in, .kernel = 3, .stride = blocks[i].stride, .same = 1, .group = in},
			"Relu");
		x = layer_conv_norm(b, build_name(b, name, "pointwise"), x,
				    &(struct conv_shape){.in = in, .out = blocks[i].channels, .kernel = 1, .stride = 1},
				    "Relu");
		in = blocks[i].channels;
	}
	layer_classify(b, global_average(b, x), in, CLASSES);
}

const struct zoo_network zoo_mobilenetv1 = {
	.summary = "MobileNetV1 on 32 x 32 images",
	.dataset = "pictures",
	.build = build_mobilenetv1,
	.epochs = 1,
	.rate = 2e-3,
};

/* ---- MobileNetV2: inverted residuals ----------------------------------------------------------------------------- */

/* 1 x 1 up to expand * in channels, 3 x 3 for each channel alone, 1 x 1 down without activation. */
static struct wire *inverted_residual(struct build *b, const char *name, struct wire *x, int64_t in, int64_t out,
				      int64_t stride, int64_t expand)
{
	int64_t wide = in * expand;
	struct wire *y = x;

	if (expand > 1)
		y = layer_conv_norm(b, build_name(b, name, "expand"), y,
				    &(struct conv_shape){.in = in, .out = wide, .kernel = 1, .stride = 1}, "Relu6");
	y = layer_conv_norm(
		b, build_name(b, name, "depthwise"), y,
		&(struct conv_shape){.in = wide, .out = wide, .kernel = 3, .stride = stride, .same = 1, .group = wide},
		"Relu6");
	y = layer_conv_norm(b, build_name(b, name, "project"), y,
			    &(struct conv_shape){.in = wide, .out = out, .kernel = 1, .stride = 1}, "");
	return in == out && stride == 1 ? build_op(b, "Add", build_name(b, name, "add"), y, x, NULL) : y;
}

static void build_mobilenetv2(struct build *b, int64_t batch)
{
	static const struct {
		int64_t expand, channels, stride;
		int blocks;
	} stages[] = {{1, 16, 1, 1}, {6, 24, 1, 2},  {6, 32, 2, 3}, {6, 64, 2, 4},
		      {6, 96, 1, 3}, {6, 160, 2, 3}, {6, 320, 1, 1}};
	struct wire *x = image_input(b, batch, 3, 32);
	int64_t in = 32;

	x = layer_conv_norm(b, "stem", x, &(struct conv_shape){.in = 3, .out = 32, .kernel = 3, .stride = 1, .pad = 1},
			    "Relu6");
	for (size_t s = 0; s < sizeof stages / sizeof *stages; s++)
		for (int i = 0; i < stages[s].blocks; i++) {
			x = inverted_residual(b, block_name(b, "block", (int)s + 1, i + 1), x, in, stages[s].channels,
					      i ? 1 : stages[s].stride, stages[s].expand);
			in = stages[s].channels;
		}
	x = layer_conv_norm(b, "head", x, &(struct conv_shape){.in = in, .out = 1280, .kernel = 1, .stride = 1},
			    "Relu6");
	layer_classify(b, global_average(b, x), 1280, CLASSES);
}

const struct zoo_network zoo_mobilenetv2 = {
	.summary = "MobileNetV2 on 32 x 32 images",
	.dataset = "pictures",
	.seed_of_papers = 1,
	.build = build_mobilenetv2,
	.epochs = 1,
	.rate = 2e-3,
};

/* ---- dense blocks: every layer sees all before it ---------------------------------------------------------------- */

static void build_densenet(struct build *b, int64_t batch)
{
	struct wire *x = image_input(b, batch, 3, 32);
	int64_t channels = 16, growth = 8;

	x = layer_conv(b, "stem", x, &(struct conv_shape){.in = 3, .out = 16, .kernel = 3, .stride = 1, .pad = 1});
	for (int stage = 0; stage < 3; stage++) {
		for (int i = 0; i < 4; i++) {
			const char *name = block_name(b, "dense", stage + 1, i + 1);
			struct wire *y = layer_norm(b, build_name(b, name, "norm"), x, channels);

			y = build_op(b, "Relu", build_name(b, name, "relu"), y, NULL);
			y = layer_conv(b, name, y,
				       &(struct conv_shape){
					       .in = channels, .out = growth, .kernel = 3, .stride = 1, .pad = 1});
			x = build_op(b, "Concat", build_name(b, name, "concat"), x, y, NULL);
			build_int(b, "axis", 1);
			channels += growth;
		}
		if (stage < 2)
			x = layer_pool(b, block_name(b, "pool", stage + 1, 0), "AveragePool", x, 2, 2);
	}
	layer_classify(b, global_average(b, x), channels, CLASSES);
}

const struct zoo_network zoo_densenet = {
	.summary = "DenseNet of three stages on 32 x 32 images",
	.dataset = "",
	.build = build_densenet,
};

/* ---- parallel branches ------------------------------------------------------------------------------------------- */

static struct wire *inception_block(struct build *b, const char *name, struct wire *x, int64_t in, int64_t each)
{
	struct wire *branch[4], *pooled, *y;
	static const int64_t kernels[] = {1, 3, 5};

	for (int i = 0; i < 3; i++)
		branch[i] = layer_conv_norm(
			b,
			build_name(b, name,
				   i == 0   ? "one"
				   : i == 1 ? "three"
					    : "five"),
			x,
			&(struct conv_shape){
				.in = in, .out = each, .kernel = kernels[i], .stride = 1, .pad = kernels[i] / 2},
			"Relu");
	pooled = build_op(b, "AveragePool", build_name(b, name, "pool"), x, NULL);
	build_ints(b, "kernel_shape", (int64_t[]){3, 3}, 2);
	build_ints(b, "pads", (int64_t[]){1, 1, 1, 1}, 4);
	branch[3] = layer_conv_norm(b, build_name(b, name, "pooled"), pooled,
				    &(struct conv_shape){.in = in, .out = each, .kernel = 1, .stride = 1}, "Relu");
	y = build_op(b, "Concat", build_name(b, name, "concat"), branch[0], branch[1], branch[2], branch[3], NULL);
	build_int(b, "axis", 1);
	return y;
}

static void build_inception(struct build *b, int64_t batch)
{
	struct wire *x = image_input(b, batch, 3, 32);
	int64_t in = 16;

	x = layer_conv_norm(b, "stem", x, &(struct conv_shape){.in = 3, .out = 16, .kernel = 3, .stride = 2, .pad = 1},
			    "Relu");
	for (int i = 0; i < 3; i++) {
		x = inception_block(b, block_name(b, "block", i + 1, 0), x, in, 12);
		in = 48;
	}
	x = layer_pool(b, "shrink", "MaxPool", x, 2, 2);
	layer_classify(b, global_average(b, x), in, CLASSES);
}

const struct zoo_network zoo_inception = {
	.summary = "Inception blocks on 32 x 32 images",
	.dataset = "",
	.build = build_inception,
};
