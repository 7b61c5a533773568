/* fuzz_image.c - image files: a decoded image has the pixels it says. */
#include <stdint.h>

#include "base/mem.h"
#include "ops/engine/image_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;
	struct image m;
	unsigned sum = 0;

	if (image_decode(data, size, &m, &e) != IMAGE_READ)
		return 0;
	BUG_ON(!m.width || !m.height);
	for (size_t i = 0; i < 3 * m.width * m.height; i++)
		sum += m.rgb[i];
	BUG_ON(sum > 255 * 3 * m.width * m.height);
	mem_free(m.rgb);
	return 0;
}
