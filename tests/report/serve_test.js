/* serve_test.js - what a reader does with the served pages:
 *
 *     serve_test.js DRIVER CHROMIUM AXE PORT HOSTILE_PORT CAMPAIGN_PORT GO_ON COMMAND…
 *
 * COMMAND adds findings to the store that PORT serves; GO_ON, a command line, lets the campaign go on.  What a page
 * logs, and what it asks any other server for, must stay empty. */
"use strict";

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const path = require("node:path");
const [driver, executablePath, axe, port, hostilePort, campaignPort, goOn, program, ...args] = process.argv.slice(2);
const { chromium } = require(path.resolve(driver));
const { run_all } = require("./attempt.js");
const { accessible } = require("./looks.js");

const PATIENCE = 60000;
const site = `http://127.0.0.1:${port}`, hostile = `http://127.0.0.1:${hostilePort}`;
const night = `http://127.0.0.1:${campaignPort}`;
const tile = (page, word) => page.locator(".tiles li", { hasText: word }).locator("b").innerText();

const tests = {
	async "shows findings and campaigns, and leads to the page of one"(page) {
		await page.goto(site + "/");
		assert.equal(await page.locator("#clusters tbody tr").count(), Number(await tile(page, "cluster")));
		assert.equal(await page.locator("article.campaign").count(), 2);
		assert.ok(await page.locator("article.campaign svg").count() > 0);
		const link = page.locator("#clusters tbody a").first(), id = await link.innerText();
		await link.click();
		await page.waitForURL(`${site}/finding/${id}`);
		assert.equal(await page.locator("details.cluster").count(), 1);
		assert.equal(await page.locator("details.cluster").getAttribute("open"), "");
		assert.ok(await page.getByText(`assay replay ${id}`).first().isVisible());
	},

	async "the whole report works as its file does"(page) {
		await page.goto(site + "/report");
		await page.getByRole("searchbox").fill("kind:crash");
		const kinds = await page.$$eval(".cluster:not([hidden])", (list) => list.map((c) => c.dataset.kind));
		assert.ok(kinds.length > 0 && kinds.every((kind) => kind === "crash"), kinds.join());
	},

	async "can be used by everybody, light and dark"(page) {
		for (const colorScheme of ["light", "dark"]) {
			await page.emulateMedia({ colorScheme });
			for (const where of ["/", "/finding/1"]) {
				await page.goto(site + where);
				await accessible(page, axe, where + ", " + colorScheme);
			}
		}
	},

	async "renews itself when another process adds findings"(page) {
		await page.goto(site + "/");
		const before = Number(await tile(page, "finding"));
		await page.evaluate(() => { window.same = true; });
		execFileSync(program, args);
		await page.waitForFunction((n) => Number(document.querySelector(".tiles b").textContent) > n, before,
			{ timeout: PATIENCE });
		assert.equal(await page.locator("article.campaign").count(), 4);
		assert.ok(await page.evaluate(() => window.same), "the page was loaded again");
		await page.waitForFunction(() => document.getElementById("state").textContent === "live", null,
			{ timeout: PATIENCE });
	},

	async "shows a campaign's tasks and what they found, and renews itself when a task ends"(page) {
		const cells = (label) => page.locator(`[aria-label="${label}"] tbody tr`).allInnerTexts();
		await page.addInitScript(() => { window.boom = () => { throw new Error("boom"); }; });
		await page.goto(night + "/");
		assert.match(await page.locator("#course").innerText(), /^Running: .* 1 running, 0 open, 1 done, 0 failed, 0 lost/);
		const lines = await cells("Methods and backends");
		assert.equal(lines.length, 2);
		assert.match(lines[0], /^fuzz\s+ort\s+75 %\s+0\s+0\s+1\s+0\s+0\s+30\s+300\s+600\s+3\s+2$/);
		assert.match(lines[1], /^equiv\s+<b>tf<\/b>\s+25 %\s+1\s+0/);
		assert.match((await cells("Cases by backend"))[0], /^ort\s+300\s+290\s+280/);
		assert.equal((await cells("Tasks")).length, 2);
		assert.ok(await page.locator("#clusters tbody a").count() > 0);
		const [word, ...words] = goOn.split(" ");
		execFileSync(word, words);
		await page.waitForFunction(() => / 2 done, 1 failed/.test(document.getElementById("course").textContent), null,
			{ timeout: PATIENCE });
		assert.match((await cells("Tasks"))[1], /failed.*assay: <script>boom\(\)<\/script>$/);
		assert.match((await cells("Cases by backend"))[0], /^ort\s+600/);
	},

	async "runs nothing that a finding brings along"(page) {
		await page.addInitScript(() => { window.boom = () => { throw new Error("boom"); }; });
		for (const where of ["/", "/report", "/finding/1", "/finding/2"]) {
			await page.goto(hostile + where);
			assert.equal(await page.locator("script").count(), 1, where);
		}
	},

	async "cannot be read by another site"(page, { allow }) {
		allow(/CORS policy|net::ERR/);
		await page.goto("data:text/html,another site");
		const answer = await page.evaluate((to) => fetch(to).then(() => "read", () => "refused"), site + "/api/status");
		assert.equal(answer, "refused");
	},
};

const mayAsk = (url) => [site + "/", hostile + "/", night + "/", "data:"].some((begin) => url.startsWith(begin));

run_all(chromium, executablePath, tests, { mayAsk });
