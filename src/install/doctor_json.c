/* doctor_json.c - what the doctor found, for programs (declared in doctor.h). */
#include "base/json.h"
#include "install/doctor.h"

static json_t *check_json(const struct doctor_check *c)
{
	json_t *row = json_pack("{s:s, s:s, s:o}", "check", c->name, "status", doctor_status_name(c->status), "detail",
				json_text(c->detail));

	if (c->ratio >= 0)
		json_object_set_new(row, "noise_ratio", json_real(c->ratio));
	return row;
}

json_t *doctor_json(const struct doctor_patient *p)
{
	const struct doctor_check *failed = doctor_failed(p);
	json_t *checks = json_array();

	for (size_t i = 0; i < p->n; i++)
		json_array_append_new(checks, check_json(&p->checks[i]));
	return json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "name", json_text(p->library->name), "version",
			 json_text(p->library->version), "path", json_text(p->library->folder), "status",
			 failed ? "broken" : "ok", "reported_version", json_text(p->version), "checks", checks,
			 "problem", json_text(failed ? failed->detail : ""), "fix", json_text(p->mend));
}
