/* extract.c - the two passes over the models (see extract.h). */
#include "methods/extract/extract.h"

#include <sys/stat.h>

#include "base/json.h"
#include "base/place.h"

#define MAX_INDEX ((size_t)1 << 30)

/* ---- one model --------------------------------------------------------------------------------------------------- */

/* A model that cannot be read or run is passed over, and its row says why; what is assay's own trouble is not. */
static int pass_over(struct extract *x, size_t i, int rc, struct err *e)
{
	if (!rc || rc == ERR_MEMORY || rc == ERR_INTERNAL)
		return rc;
	x->models.at[i].error = arena_strdup(&x->arena, e->msg);
	x->failed++;
	if (!x->models.at[i].error)
		return err_nomem(e, "a message", 0);
	err_clear(e);
	return 0;
}

static int with_model(struct extract *x, size_t i, int pass, struct err *e)
{
	const struct extract_options *o = x->o;
	struct dataset data = {0};
	struct trial t = {0};
	int rc;

	if (o->progress)
		o->progress(x->models.at[i].name, pass, i, x->models.n, o->progress_arg);
	rc = dataset_open(x->models.at[i].name, &o->data, o->seed, &data, &t, e);
	if (!rc)
		rc = pass ? extract_write(x, i, &t, e) : extract_survey(x, i, &t, &data, e);
	trial_release(&t);
	dataset_release(&data);
	return rc;
}

static int has_examples(const struct extract *x, size_t model)
{
	for (size_t i = 0; i < x->patterns.n; i++)
		if (x->patterns.at[i]->kept && x->patterns.at[i]->model == model)
			return 1;
	return 0;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int make_folder(const char *folder, struct err *e)
{
	char corpus[PLACE_PATH];
	struct stat st;
	int rc = place_path(corpus, e, "%s/corpus", folder);

	if (!rc && !lstat(corpus, &st))
		rc = err_set(e, ERR_INPUT, "'%s' is there already; a corpus needs a folder of its own", corpus);
	return rc ? rc : place_make_folders(corpus, e);
}

static int save_index(const struct extract *x, struct err *e)
{
	char path[PLACE_PATH];
	json_t *index = extract_index(x);
	int rc = place_path(path, e, "%s/index.json", x->o->folder);

	if (!rc)
		rc = json_save(index, JSON_INDENT(1), MAX_INDEX, path, e);
	json_decref(index);
	return rc;
}

static int count_all(struct extract *x, const struct texts *models, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < models->n && !rc; i++) {
		struct extract_model m = {.name = arena_strdup(&x->arena, models->at[i])};

		if (!m.name || vec_push(&x->models, m))
			return err_nomem(e, "models", i);
	}
	for (size_t i = 0; i < x->models.n && !rc; i++)
		rc = pass_over(x, i, with_model(x, i, 0, e), e);
	if (!rc && x->failed == x->models.n)
		rc = err_set(e, ERR_INPUT, "%s", x->models.n ? x->models.at[0].error : "no models are given");
	return rc;
}

int extract_run(struct extract *x, const struct extract_options *o, const struct texts *models, struct err *e)
{
	int rc;

	*x = (struct extract){.o = o};
	rc = count_all(x, models, e);
	if (rc)
		return rc;
	extract_choose(x);
	rc = make_folder(o->folder, e);
	for (size_t i = 0; i < x->models.n && !rc; i++)
		if (has_examples(x, i))
			rc = with_model(x, i, 1, e);
	return rc ? rc : save_index(x, e);
}

void extract_release(struct extract *x)
{
	for (size_t i = 0; i < x->patterns.n; i++) {
		vec_release(&x->patterns.at[i]->uses);
		json_decref(x->patterns.at[i]->json);
	}
	vec_release(&x->patterns);
	vec_release(&x->models);
	map_release(&x->by_key);
	arena_release(&x->arena);
	*x = (struct extract){0};
}
