/* yaml.c - see yaml.h. */
#include "report/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

#define MAX_FILE ((size_t)16 << 20)

static void *allocate(void *ctx, void *p, size_t size)
{
	(void)ctx;
	if (size)
		return mem_resize(p, size);
	mem_free(p);
	return NULL;
}

/* The first thing that libcyaml says is what is wrong; then comes where, from the inside out. */
struct complaint {
	char text[256], key[64]; /* "": not said */
	long line;               /* 0: not said */
};

static void note(cyaml_log_t level, void *ctx, const char *fmt, va_list args)
{
	struct complaint *c = ctx;
	char text[256];
	const char *what = text, *line;

	if (level < CYAML_LOG_ERROR)
		return;
	vsnprintf(text, sizeof text, fmt, args);
	text[strcspn(text, "\n")] = '\0';
	if (!strncmp(text, "Load: ", 6))
		what += 6;
	if (!*c->text)
		snprintf(c->text, sizeof c->text, "%s", what);
	line = strstr(text, "line: ");
	if (!line || c->line)
		return;
	c->line = strtol(line + 6, NULL, 10);
	what = strchr(text, '\'');
	if (what) /* "in mapping field 'type' (line: 2, column: 5)" */
		snprintf(c->key, sizeof c->key, ", '%.*s'", (int)strcspn(what + 1, "'"), what + 1);
}

static cyaml_config_t config_of(struct complaint *c)
{
	return (cyaml_config_t){
		.log_fn = c ? note : NULL, .log_ctx = c, .mem_fn = allocate, .log_level = CYAML_LOG_ERROR};
}

int yaml_file_load(const char *path, const char *what, const cyaml_schema_value_t *schema, void **out, struct err *e)
{
	struct complaint c = {"", "", 0};
	const cyaml_config_t config = config_of(&c);
	char line[128] = "";
	cyaml_data_t *loaded = NULL;
	cyaml_err_t bad;
	struct buf file;
	int rc;

	buf_init(&file, MAX_FILE);
	rc = buf_read_file(&file, path, MAX_FILE, e);
	if (rc) {
		buf_release(&file);
		return rc;
	}
	bad = cyaml_load_data((const uint8_t *)(file.data ? file.data : ""), file.len, &config, schema, &loaded, NULL);
	buf_release(&file);
	if (bad == CYAML_OK && loaded) {
		*out = loaded;
		return 0;
	}
	if (bad == CYAML_OK) /* a file without a document is fine for libcyaml */
		return err_set(e, ERR_INPUT, "cannot read %s from '%s': there is nothing in it", what, path);
	if (c.line)
		snprintf(line, sizeof line, "line %ld%s: ", c.line, c.key);
	return err_set(e, bad == CYAML_ERR_OOM ? ERR_MEMORY : ERR_INPUT, "cannot read %s from '%s': %s%s", what, path,
		       line, *c.text ? c.text : cyaml_strerror(bad));
}

void yaml_file_free(const cyaml_schema_value_t *schema, void *loaded)
{
	const cyaml_config_t config = config_of(NULL);

	cyaml_free(&config, schema, loaded, 0);
}
