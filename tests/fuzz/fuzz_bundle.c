/* fuzz_bundle.c - the folder of a bundle, as `replay DIR` and `reduce DIR` read it: a case with its right answer, or a
 * message.  No library is asked.
 *
 * The input is the files one after the other, with a line "=====" between them; one that is empty is not there. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/place.h"
#include "limits.h"
#include "triage/subject.h"

static const char line[] = "\n=====\n";
static const char *const names[] = {"finding.json", "inputs.npz", "model.onnx", "weights.bin"};

static int write_files(const char *folder, const uint8_t *data, size_t size, struct err *e)
{
	const uint8_t *end = data + size, *stop;
	char path[PLACE_PATH];
	int rc = 0;

	for (size_t i = 0; i < sizeof names / sizeof *names && data && !rc; i++) {
		stop = memmem(data, (size_t)(end - data), line, strlen(line));
		rc = place_path(path, e, "%s/%s", folder, names[i]);
		if (!rc && data != (stop ? stop : end))
			rc = buf_write_file(data, (size_t)((stop ? stop : end) - data), path, e);
		data = stop ? stop + strlen(line) : NULL;
	}
	return rc;
}

static void read_bundle(const char *folder)
{
	const struct subject_options o = {0};
	struct err e = ERR_INIT;
	struct subject s;

	if (!subject_open(folder, &o, &s, &e)) {
		if (s.gradient ? trial_truth_gradients(&s.trial, &e) : trial_truth(&s.trial, &e))
			BUG_ON(!e.msg[0]);
		subject_close(&s);
	} else {
		BUG_ON(!e.msg[0]);
	}
	BUG_ON(tensor_memory_live());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/fuzz-bundle-XXXXXX";
	struct err e = ERR_INIT;

	limits_set();
	if (!mkdtemp(folder))
		return 0;
	if (!write_files(folder, data, size, &e))
		read_bundle(folder);
	err_clear(&e);
	place_remove_tree(folder, &e);
	return 0;
}
