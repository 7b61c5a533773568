/* zoo_model.c - see zoo_model.h. */
#include "case/zoo_model.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/near.h"
#include "base/place.h"
#include "judge/trial.h"
#include "model/write.h"
#include "worker/parent/format.h"

/* Weights that come with assay; those that are too large for that lie among what was fetched, once somebody has made
 * them. */
static int weights_path(const char *name, char *out, struct err *e)
{
	char data[PLACE_PATH], own[PLACE_PATH];
	int rc = place_data(data, e);

	if (!rc)
		rc = place_path(out, e, "%s/zoo/%s.npz", data, name);
	if (rc || !access(out, R_OK))
		return rc;
	rc = place_path(own, e, "zoo/%s.npz", name);
	return rc ? rc : place_deps(own, out, e);
}

int zoo_model_is_trained(const char *name)
{
	char path[PLACE_PATH];
	struct err e = ERR_INIT;

	return !weights_path(name, path, &e);
}

int zoo_model_make(const struct zoo_row *row, int opset, int64_t batch, uint64_t seed, int trained, struct model **out,
		   struct err *e)
{
	struct tensor_set weights = TENSOR_SET_INIT;
	char path[PLACE_PATH];
	int rc = trained ? weights_path(row->name, path, e) : 0;

	if (!rc && trained)
		rc = npz_load(path, &weights, e);
	if (rc)
		return rc;
	rc = zoo_build_at(row, opset, batch, seed, trained ? &weights : NULL, out, e);
	tensor_set_release(&weights);
	return rc && rc != ERR_USAGE && trained ? err_prefix(e, "'%s'", path) : rc;
}

/* Of files that are equally near the first by name, since folders give theirs in any order; a network before them. */
static int is_nearer(const struct near *n, const struct near *own, const char *kept, const char *file)
{
	if (!own->best || !n->best)
		return own->best != NULL;
	if (own->distance != n->distance)
		return own->distance < n->distance;
	return n->best == kept && strcmp(file, kept) < 0;
}

/* A file of a model that may have been meant.  Where both names end alike, what stands before that has to be near:
 * else 'a.onnx' would be near to 'b.onnx'. */
static void offer_file(struct near *n, const char *word, const char *file, char kept[NEAR_MAX])
{
	const char *end = strrchr(word, '.'), *file_end = strrchr(file, '.');
	size_t cut = end && file_end && !strcmp(end, file_end) ? strlen(end) : 0;
	char short_word[NEAR_MAX], short_file[NEAR_MAX];
	struct near own = {.word = short_word};

	if (strlen(word) >= NEAR_MAX || strlen(file) >= NEAR_MAX ||
	    !(place_has_suffix(file, ".onnx") || format_is_known(file)))
		return;
	snprintf(short_word, sizeof short_word, "%.*s", (int)(strlen(word) - cut), word);
	snprintf(short_file, sizeof short_file, "%.*s", (int)(strlen(file) - cut), file);
	near_offer(&own, short_file, kept);
	if (!is_nearer(n, &own, kept, file))
		return;
	snprintf(kept, NEAR_MAX, "%.*s", NEAR_MAX - 1, file);
	n->best = kept;
	n->distance = own.distance;
}

/* Files of models in the folder of a path. */
static void offer_files(struct near *n, const char *path, char kept[NEAR_MAX])
{
	const char *slash = strrchr(path, '/');
	char folder[PLACE_PATH];
	struct err ignored = ERR_INIT;
	const struct dirent *d;
	DIR *dir;

	if (place_path(folder, &ignored, "%.*s/.", slash ? (int)(slash - path) : 1, slash ? path : "."))
		return;
	dir = opendir(folder);
	while (dir && (d = readdir(dir)))
		offer_file(n, slash ? slash + 1 : path, d->d_name, kept);
	if (dir)
		closedir(dir);
}

int zoo_model_look_for(const char *path, struct err *e)
{
	char kept[NEAR_MAX];
	struct near n = NEAR(path);

	if (!access(path, F_OK))
		return 0;
	offer_files(&n, path, kept);
	return n.best ? err_set(e, ERR_IO, "there is no file '%s'%s", path, near_hint(&n)) : 0;
}

int zoo_model_open_for(const char *name, int64_t items, uint64_t seed, struct buf *bytes, struct model **m,
		       struct err *e)
{
	const struct zoo_row *row = access(name, F_OK) ? zoo_find(name) : NULL;
	char kept[NEAR_MAX];
	struct near n = NEAR(name);
	int rc;

	if (!row && access(name, F_OK)) {
		near_offer_rows(&n, &zoo_rows->name, sizeof *zoo_rows);
		offer_files(&n, name, kept);
	}
	if (n.best)
		return err_set(e, ERR_IO, "there is no file and no network '%s'%s", name, near_hint(&n));
	if (!row)
		return trial_read_model(name, bytes, m, e);
	rc = zoo_model_make(row, 0, items, seed, zoo_model_is_trained(name), m, e);
	return rc ? rc : model_serialize(*m, bytes, e);
}

int zoo_model_open(const char *name, uint64_t seed, struct buf *bytes, struct model **m, struct err *e)
{
	return zoo_model_open_for(name, 1, seed, bytes, m, e);
}
