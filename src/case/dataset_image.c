/* dataset_image.c - image files as a network wants them.
 *
 * --preprocess is a list of NAME=VALUE, separated by commas; what is not given follows from the model's input:
 *
 *     size=HxW           bilinear, centres of pixels at half steps (default: the input's own)
 *     layout=nchw|nhwc   (default: where the dimension of 1 or 3 is)
 *     scale=X            every grey value 0 … 255 is multiplied by it (default: 1/255)
 *     mean=A/B/C std=…   for each channel, after scaling: (x - mean) / std (default: 0 and 1) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/near.h"
#include "case/dataset.h"
#include "ops/engine/image_file.h"

#define MAX_IMAGE_FILE ((size_t)256 << 20)
#define MAX_SIDE 16384

struct image_recipe {
	int64_t height, width, channels;
	int channels_last;
	double scale, mean[3], std[3];
};

/* ---- --preprocess ------------------------------------------------------------------------------------------------ */

static int bad_word(const char *word, size_t n, struct err *e)
{
	static const char *const names[] = {"size", "layout", "scale", "mean", "std", NULL};
	char name[NEAR_MAX];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "=,"), word);
	if (near_find(name, strlen(name), names, 0) < 0)
		return near_refuse("--preprocess", name, names, 0, e);
	return err_set(e, ERR_USAGE, "--preprocess: cannot make sense of '%.*s'", (int)n, word);
}

/* "0.485/0.456/0.406", or one number for all channels. */
static int read_channels(const char *text, double out[3])
{
	char *end;

	for (int i = 0; i < 3; i++) {
		out[i] = strtod(text, &end);
		if (end == text || !isfinite(out[i]))
			return 0;
		if (*end != '/' && i == 0) {
			out[1] = out[2] = out[0];
			return *end == '\0';
		}
		text = end + (*end == '/');
	}
	return *end == '\0';
}

static int read_size(const char *text, struct image_recipe *r)
{
	char *end;
	long h = strtol(text, &end, 10), w = *end == 'x' ? strtol(end + 1, &end, 10) : -1;

	if (*end || h < 1 || w < 1 || h > MAX_SIDE || w > MAX_SIDE)
		return 0;
	r->height = h;
	r->width = w;
	return 1;
}

/* "0.5" or "1/255". */
static int read_scale(const char *text, double *out)
{
	char *end;
	double x = strtod(text, &end), y = 1;

	if (end == text)
		return 0;
	if (*end == '/') {
		text = end + 1;
		y = strtod(text, &end);
	}
	*out = x / y;
	return end != text && !*end && isfinite(*out);
}

static int read_word(const char *word, struct image_recipe *r)
{

	if (!strncmp(word, "size=", 5))
		return read_size(word + 5, r);
	if (!strcmp(word, "layout=nchw") || !strcmp(word, "layout=nhwc")) {
		r->channels_last = word[8] == 'h';
		return 1;
	}
	if (!strncmp(word, "mean=", 5))
		return read_channels(word + 5, r->mean);
	if (!strncmp(word, "std=", 4))
		return read_channels(word + 4, r->std) && r->std[0] != 0 && r->std[1] != 0 && r->std[2] != 0;
	return !strncmp(word, "scale=", 6) && read_scale(word + 6, &r->scale);
}

static int read_words(const char *text, struct image_recipe *r, struct err *e)
{
	while (*text) {
		size_t n = strcspn(text, ",");
		char word[128];

		if (n >= sizeof word)
			return bad_word(text, n, e);
		memcpy(word, text, n);
		word[n] = '\0';
		if (!read_word(word, r))
			return bad_word(text, n, e);
		text += n + (text[n] == ',');
	}
	return 0;
}

int dataset_scale(const char *preprocess, double *out, struct err *e)
{
	struct image_recipe r = {.scale = 1, .std = {1, 1, 1}};
	int rc = read_words(preprocess, &r, e);

	*out = r.scale;
	return rc;
}

/* What the input itself says: an item is [C,H,W] or [H,W,C], C of 1 or 3. */
static int recipe_for(const struct wire *w, const char *preprocess, struct image_recipe *r, struct err *e)
{
	const int64_t *d = w->type.dims;
	int rc;

	*r = (struct image_recipe){.scale = 1.0 / 255, .std = {1, 1, 1}};
	if (w->type.rank != 4 || w->type.dtype != DT_FLOAT)
		return err_set(e, ERR_INPUT, "input '%s' takes no images: wanted float32 of rank 4", w->name);
	r->channels_last = d[1] != 1 && d[1] != 3 && (d[3] == 1 || d[3] == 3);
	rc = preprocess ? read_words(preprocess, r, e) : 0;
	if (rc)
		return rc;
	r->channels = r->channels_last ? d[3] : d[1];
	if (r->channels != 1 && r->channels != 3)
		return err_set(e, ERR_INPUT, "input '%s' has neither one nor three channels", w->name);
	if (!r->height) {
		r->height = r->channels_last ? d[1] : d[2];
		r->width = r->channels_last ? d[2] : d[3];
	}
	if (r->height < 1 || r->width < 1 || r->height > MAX_SIDE || r->width > MAX_SIDE)
		return err_set(e, ERR_USAGE, "input '%s' is of any size: say which, as --preprocess size=224x224",
			       w->name);
	return 0;
}

/* ---- pixels ------------------------------------------------------------------------------------------------------ */

/* Where target pixel i of n lies between two of the m source pixels: index of the left one, and how far right. */
static double position(int64_t i, int64_t n, size_t m, size_t *left)
{
	double x = ((double)i + 0.5) * (double)m / (double)n - 0.5;

	x = fmin(fmax(x, 0), (double)(m - 1));
	*left = (size_t)x;
	return x - (double)*left;
}

static double grey_at(const struct image *m, size_t y, size_t x, int64_t c, int64_t channels)
{
	const unsigned char *p = m->rgb + (y * m->width + x) * 3;

	if (channels == 3)
		return p[c];
	return 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2]; /* luma of BT.601 */
}

static double sample(const struct image *m, const struct image_recipe *r, int64_t y, int64_t x, int64_t c)
{
	size_t top, left, down, right;
	double fy = position(y, r->height, m->height, &top), fx = position(x, r->width, m->width, &left);
	double a, b;

	down = top + 1 < m->height ? top + 1 : top;
	right = left + 1 < m->width ? left + 1 : left;
	a = (1 - fx) * grey_at(m, top, left, c, r->channels) + fx * grey_at(m, top, right, c, r->channels);
	b = (1 - fx) * grey_at(m, down, left, c, r->channels) + fx * grey_at(m, down, right, c, r->channels);
	return (((1 - fy) * a + fy * b) * r->scale - r->mean[c]) / r->std[c];
}

static void fill(const struct image *m, const struct image_recipe *r, float *out)
{
	for (int64_t c = 0; c < r->channels; c++)
		for (int64_t y = 0; y < r->height; y++)
			for (int64_t x = 0; x < r->width; x++) {
				size_t at = r->channels_last ? (size_t)((y * r->width + x) * r->channels + c)
							     : (size_t)((c * r->height + y) * r->width + x);

				out[at] = (float)sample(m, r, y, x, c);
			}
}

int dataset_read_image(const char *path, const struct wire *w, const char *preprocess, struct tensor **out,
		       struct err *e)
{
	struct image m = {0};
	struct image_recipe r;
	struct buf file;
	int rc = recipe_for(w, preprocess, &r, e);

	if (rc)
		return rc;
	buf_init(&file, MAX_IMAGE_FILE);
	rc = buf_read_file(&file, path, MAX_IMAGE_FILE, e);
	if (!rc) {
		enum image_result result = image_decode((const unsigned char *)file.data, file.len, &m, e);

		if (result == IMAGE_CORRUPT)
			err_set(e, ERR_INPUT, "'%s' is not an image, or a broken one", path);
		rc = result == IMAGE_READ ? 0 : e->code;
	}
	if (!rc) {
		int64_t planar[] = {1, r.channels, r.height, r.width}, packed[] = {1, r.height, r.width, r.channels};

		*out = tensor_new_packed(DT_FLOAT, 4, r.channels_last ? packed : planar, e);
		rc = *out ? 0 : e->code;
	}
	if (!rc)
		fill(&m, &r, (*out)->data);
	mem_free(m.rgb);
	buf_release(&file);
	return rc;
}
