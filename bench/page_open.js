/* page_open.js - times what bench/page says: page_open.js DRIVER CHROMIUM PAGE RUNS */
"use strict";

const path = require("node:path");
const [driver, executablePath, file, runs] = process.argv.slice(2);
const { chromium } = require(path.resolve(driver));

const BAR = 2000; /* milliseconds */
const painted = (page) => page.evaluate(() => new Promise((done) =>
	requestAnimationFrame(() => requestAnimationFrame(() => done()))));

/* Milliseconds on the wall and of the tab's main thread that `act` takes, up to the next picture on the screen. */
async function timed(page, act) {
	const session = await page.context().newCDPSession(page);
	const thread = async () => (await session.send("Performance.getMetrics")).metrics
		.find((m) => m.name === "ThreadTime").value * 1000;
	await session.send("Performance.enable", { timeDomain: "threadTicks" });
	const before = await thread(), began = performance.now();
	await act();
	await painted(page);
	const wall = performance.now() - began, cpu = await thread() - before;
	await session.detach();
	return { wall, cpu };
}

async function visit(browser) {
	const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
	page.setDefaultTimeout(120000);
	const last = page.locator(".cluster").last();
	const result = {
		open: await timed(page, () => page.goto("file://" + path.resolve(file))),
		lines: await timed(page, () => page.waitForFunction(() => !document.querySelector(".packed"))),
		search: await timed(page, () => page.fill("#query", "hard sigmoid")),
		filter: await timed(page, async () => {
			await page.fill("#query", "");
			await page.fill("[data-filter=ratio]", "> 1000");
		}),
		unfold: await timed(page, async () => {
			await page.fill("[data-filter=ratio]", "");
			await last.evaluate((c) => { c.open = true; c.scrollIntoView(); });
			await last.locator("svg, .quiet").first().waitFor();
		}),
	};
	await page.close();
	return result;
}

async function main() {
	const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
	const browser = await chromium.launch({ executablePath, args, timeout: 120000 });
	const all = [];
	for (let i = 0; i < Number(runs); i++) {
		all.push(await visit(browser));
	}
	const least = (what, kind) => Math.min(...all.map((r) => r[what][kind]));
	for (const what of Object.keys(all[0])) {
		console.log(what.padEnd(8) + (least(what, "wall") / 1000).toFixed(2).padStart(6) + " s, cpu " +
			(least(what, "cpu") / 1000).toFixed(2) + " s" + (what === "open" ? "   (bar " + BAR / 1000 + " s)" : ""));
	}
	await browser.close();
	process.exit(least("open", "wall") > BAR ? 1 : 0);
}

main();
