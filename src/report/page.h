/* page.h - the page's style sheet and script, which the build makes C strings of (scripts/embed). */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

extern const char page_css[];
extern const char page_js[];
extern const char page_js_hash[]; /* "sha256-…": the only script that the page's security policy lets run */

#endif
