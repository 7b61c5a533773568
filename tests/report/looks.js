/* looks.js - what every page is held to, whatever it shows: readers who do not see it, and screens of any width. */
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");

/* A small phone, a tablet or half a screen, a desk. */
const WIDTHS = [360, 800, 1400];
const SCHEMES = ["light", "dark"];

/* Fails when axe finds something serious or critical in the page as it is now.  Minor and moderate ones are told. */
async function accessible(page, axe, what) {
	await page.evaluate(fs.readFileSync(axe, "utf8"));
	const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }).then((r) =>
		r.violations.map((v) => ({ impact: v.impact, text: v.id + ": " + v.help + " (" + v.nodes.length + " times): " +
			v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ") }))));
	const grave = (v) => v.impact === "serious" || v.impact === "critical";
	found.filter((v) => !grave(v)).forEach((v) => console.log("note: " + what + ": " + v.impact + " " + v.text));
	assert.deepEqual(found.filter(grave).map((v) => v.impact + " " + v.text), [], what);
}

/* What stands out of the page to the right, or is cut off inside a box that cannot be scrolled. */
function overflowing() {
	const width = document.documentElement.clientWidth, bad = [];
	if (document.documentElement.scrollWidth > width) {
		bad.push("the page is " + document.documentElement.scrollWidth + " wide");
	}
	const name = (e) => e.tagName.toLowerCase() + "." + e.className + " '" + e.textContent.trim().slice(0, 40) + "'";
	const hides = (e) => ["hidden", "clip"].includes(getComputedStyle(e).overflowX);
	for (const e of document.body.querySelectorAll("*")) {
		const unseen = getComputedStyle(e).clipPath !== "none"; /* for those who hear the page */
		if (unseen || e.closest("svg, script, .vh, .skip") || !e.checkVisibility()) {
			continue;
		}
		/* An ellipsis is a cut that can be read in full: in a title, or where the line opens. */
		const told = e.title || e.closest("summary") || e.closest("[title]");
		if (hides(e) && e.scrollWidth > e.clientWidth + 1 && !told) {
			bad.push("cut: " + name(e));
		}
		const box = e.getBoundingClientRect();
		if (box.width && box.right > width + 1 && !e.closest(".scroll, .picture, pre")) {
			bad.push("stands out: " + name(e));
		}
	}
	return bad;
}

/* Fails when the page does not fit one of the widths, light or dark.  `visit` opens it and unfolds what it has. */
async function fits(page, what, visit) {
	for (const width of WIDTHS) {
		for (const colorScheme of SCHEMES) {
			await page.setViewportSize({ width, height: 900 });
			await page.emulateMedia({ colorScheme });
			await visit(page);
			assert.deepEqual(await page.evaluate(overflowing), [], what + " at " + width + ", " + colorScheme);
		}
	}
}

module.exports = { accessible, fits, SCHEMES, WIDTHS };
