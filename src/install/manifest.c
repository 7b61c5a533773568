/* manifest.c - see manifest.h. */
#include "install/manifest.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/json.h"
#include "install/pattern.h"

#define MANIFEST_MAX (64 << 20)

static json_t *packages_json(const struct manifest_packages *packages)
{
	json_t *list = json_array();

	for (size_t i = 0; i < packages->n; i++) {
		const struct manifest_package *p = &packages->at[i];

		json_array_append_new(list, json_pack("{s:s, s:o, s:I, s:s, s:b}", "source",
						      lock_source_word(p->package->source), "name",
						      json_text(*p->package->sha256 ? p->package->name : p->file.name),
						      "bytes", (json_int_t)p->file.bytes, "sha256", p->file.sha256,
						      "locked", *p->package->sha256 != '\0'));
	}
	return list;
}

static json_t *files_json(const struct unpacked *files)
{
	json_t *list = json_array();

	for (size_t i = 0; i < files->files.n; i++) {
		const struct unpacked_file *f = &files->files.at[i];

		json_array_append_new(list, json_pack("{s:o, s:I, s:s}", "path", json_text(f->path), "bytes",
						      (json_int_t)f->bytes, "sha256", f->sha256));
	}
	return list;
}

int manifest_write(const char *folder, const char *name, const char *version, const char *recipe,
		   const struct manifest_packages *packages, const struct unpacked *files, struct err *e)
{
	char path[PLACE_PATH], date[32] = "";
	time_t now = time(NULL);
	struct tm utc;
	json_t *root;
	int rc = place_path(path, e, "%s/" MANIFEST_NAME, folder);

	if (rc)
		return rc;
	if (gmtime_r(&now, &utc))
		strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
	root = json_document(json_pack("{s:s, s:s, s:s, s:s, s:I, s:o, s:o}", "name", name, "version", version,
				       "installed", date, "recipe", recipe, "bytes", (json_int_t)files->bytes,
				       "packages", packages_json(packages), "files", files_json(files)));
	rc = json_save(root, JSON_INDENT(1), MANIFEST_MAX, path, e);
	json_decref(root);
	return rc;
}

static json_t *read_manifest(const char *folder, struct err *e)
{
	char path[PLACE_PATH];
	json_error_t je;
	struct buf text;
	json_t *root = NULL;

	buf_init(&text, MANIFEST_MAX);
	if (place_path(path, e, "%s/" MANIFEST_NAME, folder) || buf_read_file(&text, path, MANIFEST_MAX, e))
		return NULL;
	root = json_loadb(text.data, text.len, 0, &je);
	if (!root)
		err_set(e, ERR_INPUT, "'%s' line %d: %s", path, je.line, je.text);
	buf_release(&text);
	return root;
}

enum manifest_state manifest_compare(const char *folder, const char *recipe, const struct lock_package *const *packages,
				     size_t n)
{
	struct err ignored = ERR_INIT;
	json_t *root = read_manifest(folder, &ignored), *list;
	const char *made;
	int same;

	if (!root)
		return MANIFEST_NONE;
	list = json_object_get(root, "packages");
	made = json_string_value(json_object_get(root, "recipe"));
	same = made && !strcmp(made, recipe) && json_array_size(list) == n;
	for (size_t i = 0; same && i < n; i++) {
		const char *sha256 = json_string_value(json_object_get(json_array_get(list, i), "sha256"));

		same = sha256 && (!*packages[i]->sha256 || !strcmp(sha256, packages[i]->sha256));
	}
	json_decref(root);
	return same ? MANIFEST_SAME : MANIFEST_OTHER;
}

static int check_file(const char *folder, json_t *file, struct err *e)
{
	const char *name = json_string_value(json_object_get(file, "path"));
	const char *sha256 = json_string_value(json_object_get(file, "sha256"));
	char path[PLACE_PATH], now[HASH_TEXT];
	uint64_t bytes;
	int rc;

	if (!name || !sha256 || !path_is_safe(name))
		return err_set(e, ERR_INPUT, "'%s/" MANIFEST_NAME "' has a file without name or digest", folder);
	rc = place_path(path, e, "%s/%s", folder, name);
	if (!rc)
		rc = hash_file(path, now, &bytes, e);
	if (!rc && strcmp(now, sha256))
		rc = err_set(e, ERR_INPUT, "'%s' is not what was installed: it has changed or is damaged", path);
	return rc;
}

int manifest_check(const char *folder, struct err *e)
{
	json_t *root = read_manifest(folder, e), *file;
	size_t i;
	int rc = 0;

	if (!root)
		return e->code == ERR_IO ? err_set(e, ERR_UNSUPPORTED, "no " MANIFEST_NAME ": it was put there by hand")
					 : e->code;
	json_array_foreach(json_object_get(root, "files"), i, file) if ((rc = check_file(folder, file, e))) break;
	json_decref(root);
	return rc;
}
