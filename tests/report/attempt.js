/* attempt.js - tests in a browser, one after the other, each on a page of its own.
 *
 * What a page logs, and what it asks for that `mayAsk` refuses, is a failure as well.  Every test is run, or those
 * whose names match $REPORT_ONLY. */
"use strict";

const assert = require("node:assert/strict");

/* 1 when the test fails, which may allow some of the noise. */
async function attempt(browser, name, test, options, mayAsk) {
	const context = await browser.newContext(options);
	const page = await context.newPage();
	page.setDefaultTimeout(60000);
	const noise = [];
	let allowed = /^$/;
	page.on("console", (m) => noise.push(m.type() + ": " + m.text()));
	page.on("pageerror", (e) => noise.push("error: " + e));
	page.on("dialog", (d) => { noise.push("dialog"); d.dismiss(); });
	page.on("request", (r) => { if (!mayAsk(r.url())) noise.push("request: " + r.url()); });
	try {
		await test(page, { allow: (what) => { allowed = what; } });
		assert.deepEqual(noise.filter((line) => !allowed.test(line)), []);
		console.log("ok: " + name);
		return 0;
	} catch (e) {
		console.log("FAILED: " + name + "\n" + e.stack);
		return 1;
	} finally {
		await context.close();
	}
}

/* Runs all tests, and `more` with the browser; ends the process. */
async function run_all(chromium, executablePath, tests, { options = {}, mayAsk, more = async () => 0 }) {
	/* Root has no sandbox to run in. */
	const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
	const browser = await chromium.launch({ executablePath, args, timeout: 120000 });
	const wanted = new RegExp(process.env.REPORT_ONLY || "");
	let failed = 0;
	for (const [name, test] of Object.entries(tests).filter(([n]) => wanted.test(n))) {
		failed += await attempt(browser, name, test, options, mayAsk);
	}
	failed += await more(browser);
	await browser.close();
	console.log(failed ? failed + " failed" : "all passed in Chromium " + browser.version());
	process.exit(failed ? 1 : 0);
}

module.exports = { attempt, run_all };
