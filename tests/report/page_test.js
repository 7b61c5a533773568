/* page_test.js - what a reader does with the page, done by a program: page_test.js DRIVER CHROMIUM AXE FOLDER
 *
 * Each test gets a fresh page that records what it logs and requests; both must stay empty.  Every test is run, failures
 * are counted, the exit status is 1 when there are any. */
"use strict";

const assert = require("node:assert/strict");
const path = require("node:path");
const [driver, executablePath, axe, folder] = process.argv.slice(2);
const { chromium } = require(path.resolve(driver));
const { attempt, run_all } = require("./attempt.js");
const { accessible, fits, SCHEMES, WIDTHS } = require("./looks.js");

const PAGES = ["plain", "hostile", "empty", "ops", "deep"];
const WIDE = { width: 1280, height: 900 };

const url = (name) => "file://" + path.join(folder, name + ".html");
const shown = (page) => page.locator(".cluster:visible");
const values = (page, key) =>
	page.$$eval(".cluster:not([hidden])", (list, k) => list.map((c) => c.dataset[k]), key);
const open_some = async (page, most) => {
	await page.$$eval(".cluster", (list, n) => list.slice(0, n).forEach((c) => { c.open = true; }), most);
	await page.waitForFunction(() => !document.querySelector(".cluster[open]:not([data-seen])"));
};
const open_all = (page) => open_some(page, 1e9);

function is_sorted(list, compare) {
	return list.every((x, i) => !i || compare(list[i - 1], x) <= 0);
}

/* The height of a node that lies inside its picture's frame.  The page may still be scrolling, so that frame and node are
 * measured in one step. */
async function is_in_frame(node, name) {
	const [inside, height] = await node.evaluate((n) => {
		const box = n.getBoundingClientRect(), frame = n.closest(".picture").getBoundingClientRect();
		return [box.top >= frame.top && box.bottom <= frame.bottom, box.height];
	});
	assert.ok(inside, name + " is not in the frame");
	return height;
}

/* Texts whose contrast with what is behind them is below 4.5 (WCAG 2, AA). */
function poor_contrast() {
	const parse = (c) => (c.match(/[\d.]+/g) || []).map(Number);
	const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
		.map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const c = parse(getComputedStyle(e).backgroundColor);
			if (c.length === 3 || c[3] > 0) {
				return c;
			}
		}
		return [255, 255, 255];
	};
	const bad = [];
	for (const e of document.body.querySelectorAll("*")) {
		const own = Array.from(e.childNodes).some((n) => n.nodeType === 3 && n.data.trim());
		if (!own || e.closest("svg, script, style") || !e.checkVisibility()) {
			continue;
		}
		const a = light(parse(getComputedStyle(e).color)), b = light(behind(e));
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < 4.5) {
			bad.push(e.tagName + "." + e.className + " " + ratio.toFixed(2));
		}
	}
	return bad;
}

const tests = {
	async "sorts by number and by word, both ways"(page) {
		await page.goto(url("plain"));
		const press = (name) => page.getByRole("button", { name, exact: true }).click();
		const number = (a, b) => a - b, word = (a, b) => a.localeCompare(b, "en", { numeric: true });
		const before = await values(page, "count");
		assert.ok(!is_sorted(before, number), "must not be in order already");
		await press("Findings");
		assert.ok(is_sorted(await values(page, "count"), (a, b) => b - a));
		await press("Findings");
		assert.ok(is_sorted(await values(page, "count"), number));
		await press("Operator");
		assert.ok(is_sorted(await values(page, "op"), word));
		for (let i = 0; i < 2; i++) { /* what is not known comes last either way */
			await press("Since");
			const since = await values(page, "since");
			assert.ok(since[0] !== "" && since[since.length - 1] === "", since.join());
		}
		assert.equal(await page.getByRole("button", { name: "Since", exact: true }).getAttribute("aria-pressed"), "true");
	},

	async "searches by words and by keys"(page) {
		await page.goto(url("plain"));
		const search = page.getByLabel("Search");
		for (const [text, n] of [["", 12], ["kind:crash", 1], ["conv", 3], ["op:conv library:openvino", 1],
			['library:"openvino"', 3], ['library:"openvin"', 0], ["hard sigmoid", 1], ["frobnicate", 0]]) {
			await search.fill(text);
			assert.equal(await shown(page).count(), n, text);
			assert.equal(await page.locator("#shown").textContent(), n + " of 12");
		}
		assert.ok(await page.getByText("Nothing matches.").isVisible());
		await page.getByRole("button", { name: "Show all", exact: true }).click();
		assert.equal(await shown(page).count(), 12);
		await page.getByRole("button", { name: "3 crash" }).click();
		assert.equal(await shown(page).count(), 1);
		await page.locator(".legend").getByRole("button", { name: /wrong/ }).click();
		assert.equal(await shown(page).count(), 6);
	},

	async "filters by every column, together and beside the search"(page) {
		await page.goto(url("plain"));
		const field = (name) => page.getByLabel(name + ": filter");
		for (const [name, text, n] of [["Kind", "wrong", 6], ["Operator", "pool", 2], ["Library", "openvino", 3],
			["Library", "2024.6", 3], ["Noise ratio", "> 1000", 5], ["Noise ratio", "<100", 1], ["Nodes", "2", 2],
			["Findings", "= 1", 2], ["Findings", "≤ 2", 4], ["Since", "2024", 1], ["Since", "nothing", 0]]) {
			await field(name).fill(text);
			assert.equal(await shown(page).count(), n, name + " " + text);
			await field(name).fill("");
		}
		await field("Kind").fill("wrong");
		await field("Findings").fill(">= 12");
		assert.equal(await shown(page).count(), 3);
		await page.getByLabel("Search").fill("version:2024");
		assert.equal(await shown(page).count(), 1);
		await page.getByLabel("Search").fill("method:check nodes:1 count:<10");
		assert.equal(await shown(page).count(), 0);
	},

	async "can be used with the keyboard"(page) {
		await page.goto(url("plain"));
		await page.keyboard.press("Tab");
		assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
		await page.locator(".cluster > summary").first().focus();
		await page.keyboard.press("Enter");
		assert.ok(await page.locator(".cluster").first().evaluate((c) => c.open));
		await page.keyboard.press("Space");
		assert.ok(!await page.locator(".cluster").first().evaluate((c) => c.open));
		await page.getByRole("button", { name: "Library", exact: true }).focus();
		await page.keyboard.press("Enter");
		assert.equal((await values(page, "library"))[0], "mxnet");
	},

	async "shows pictures, facts and commands"(page) {
		await page.goto(url("plain") + "#f1");
		const cluster = page.locator("#f1");
		assert.ok(await cluster.evaluate((c) => c.open), "the link opens it");
		assert.ok(await cluster.getByText("optimizer NchwcTransformer").first().isVisible());
		assert.ok(await cluster.getByText("1.22.0").first().isVisible());
		const pictures = cluster.locator("svg.graph");
		assert.equal(await pictures.count(), 2);
		for (const picture of await pictures.all()) {
			const box = await picture.boundingBox();
			assert.ok(box.width > 50 && box.height > 50);
		}
		/* The map is scrolled to the guiltiest node. */
		await is_in_frame(cluster.locator(".picture").nth(1).locator(".mark", { hasText: "Conv_20" }), "Conv_20");
		const width = (await pictures.first().boundingBox()).width;
		await cluster.getByRole("button", { name: "Zoom in" }).first().click();
		assert.ok((await pictures.first().boundingBox()).width > width * 1.2);
		assert.deepEqual(await cluster.locator(".rows").first().locator("tbody tr").allTextContents(),
			["inputxfloat32[2,3]0.25 0.5 0.75 1 1.25 1.5",
				"expectedyfloat32[2,3]0.333333343 0.666666687 1 1.33333337 1.66666663 2",
				"gotyfloat32[2,3]0.5 nan 1 …"]);
		await cluster.getByRole("button", { name: /Copy command: run it again/ }).click();
		await cluster.getByText(/^(Copied|Select it)/).first().waitFor();
		assert.match(await page.evaluate(async () =>
			getSelection().toString().trim() || navigator.clipboard.readText()), /^assay replay 1 --db .*plain\.db$/);
	},

	async "finds its way in a network of a thousand nodes"(page) {
		await page.goto(url("deep") + "#f1");
		const map = page.locator(".picture").nth(1), tools = page.locator(".zoom").nth(1);
		const is_seen = async (name) => {
			const node = map.locator("g", { hasText: new RegExp(name + "(?!\\d)") }).last();
			assert.ok(await is_in_frame(node, name) > 15, name + " is too small to read");
		};
		assert.match(await map.textContent(), /600 of 1101 nodes, around the marked ones/);
		await is_seen("Conv_550");
		await tools.getByRole("button", { name: "Fit" }).click();
		await tools.getByRole("searchbox").fill("conv_600");
		await tools.getByRole("searchbox").press("Enter");
		await is_seen("Conv_600");
		assert.equal(await tools.locator("output").textContent(), "1 of 1");
		await tools.getByRole("button", { name: "Next marked" }).click();
		await is_seen("Conv_550");
		await tools.getByRole("searchbox").fill("nowhere");
		await tools.getByRole("button", { name: "Find" }).click();
		assert.equal(await tools.locator("output").textContent(), "none");
	},

	async "prints the part of a large map that matters, so that it can be read"(page) {
		await page.goto(url("deep") + "#f1");
		const svg = page.locator(".picture").nth(1).locator("svg").first(), view = () => svg.getAttribute("viewBox");
		const before = await view();
		await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
		const [x, y, width, height] = (await view()).split(/[ ,]+/).map(Number);
		assert.ok(width <= 900 && height <= 1100, "prints " + width + " by " + height);
		assert.equal(await page.locator(".part").count(), 1);
		const inside = await svg.evaluate((s, [left, top, w, h]) => {
			const node = [...s.querySelectorAll(".mark")].find((m) => m.textContent.includes("Conv_550"));
			const box = node.getBBox(), to = s.getScreenCTM().inverse().multiply(node.getScreenCTM());
			const at = new DOMPoint(box.x, box.y).matrixTransform(to);
			return at.x >= left && at.x < left + w && at.y >= top && at.y < top + h;
		}, [x, y, width, height]);
		assert.ok(inside, "the marked node is not on the paper");
		await page.evaluate(() => dispatchEvent(new Event("afterprint")));
		assert.equal(await view(), before);
		assert.equal(await page.locator(".part").count(), 0);
	},

	async "tells how much each library was given"(page) {
		await page.goto(url("deep"));
		assert.deepEqual(await page.locator("#summary .rows tbody tr").allTextContents(),
			["ort@1.20.125000250000", "tract@0.21.725024023810201"]);
	},

	async "draws curves"(page) {
		await page.goto(url("plain"));
		const charts = page.locator("svg.curves");
		assert.equal(await charts.count(), 6);
		const lines = await page.$$eval("svg.curves path.series", (list) => list.map((p) => p.getTotalLength()));
		assert.ok(lines.filter((n) => n > 100).length >= 12, lines.join());
	},

	async "has readable contrast, light and dark"(page) {
		const grounds = [];
		for (const colorScheme of ["light", "dark"]) {
			await page.emulateMedia({ colorScheme });
			await page.goto(url("plain"));
			await open_all(page);
			assert.deepEqual(await page.evaluate(poor_contrast), [], colorScheme);
			grounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
		}
		assert.notEqual(grounds[0], grounds[1]);
	},

	async "has nothing that axe calls serious, light and dark"(page) {
		for (const colorScheme of SCHEMES) {
			await page.emulateMedia({ colorScheme });
			for (const name of PAGES) {
				await page.goto(url(name));
				await accessible(page, axe, name + " closed, " + colorScheme);
				await open_some(page, 2); /* all are alike */
				await accessible(page, axe, name + " open, " + colorScheme);
			}
		}
	},

	async "fits three widths, light and dark"(page) {
		for (const name of PAGES) {
			await fits(page, name, async () => {
				await page.goto(url(name));
				await open_all(page);
			});
		}
	},

	async "is told apart by headings and labels"(page) {
		await page.goto(url("plain"));
		await open_all(page);
		assert.equal(await page.locator("h1").count(), 1);
		assert.deepEqual(await page.locator("h2").allTextContents(), ["Summary", "Clusters", "Operators", "Campaigns"]);
		const nameless = await page.$$eval("button, input, svg, [role=region]", (list) => list.filter((e) =>
			!(e.getAttribute("aria-label") || e.textContent.trim() || (e.labels && e.labels.length))).length);
		assert.equal(nameless, 0);
		const ids = await page.$$eval("[id]", (list) => list.map((e) => e.id));
		assert.equal(new Set(ids).size, ids.length, "an id twice");
		assert.equal(await page.evaluate(() => document.documentElement.lang), "en");
	},

	async "keeps hostile names as text"(page) {
		await page.addInitScript(() => { window.boom = () => { window.boomed = true; }; });
		await page.goto(url("hostile"));
		await open_all(page);
		await page.getByLabel("Search").fill("</script>");
		assert.equal(await shown(page).count(), 2);
		assert.equal(await page.evaluate(() => window.boomed), undefined);
		assert.equal(await page.locator("img, iframe, object").count(), 0);
		assert.equal(await page.locator("script").count(), 1);
		assert.ok((await page.locator(".cluster").first().textContent()).includes("<img src=x onerror=boom()>"));
		assert.ok(!/[\u0000-\u0008\u000b\u000e-\u001f\u202e]/.test(await page.locator("main").textContent()));
	},

	async "runs no other script"(page, { allow }) {
		allow(/Content Security Policy/);
		await page.goto(url("plain"));
		await page.evaluate(() => {
			const script = document.createElement("script");
			script.textContent = "window.boomed = true";
			document.body.append(script);
			document.body.insertAdjacentHTML("beforeend", "<i onclick='window.boomed = true' id='trap'>x</i>");
			document.getElementById("trap").click();
		});
		assert.equal(await page.evaluate(() => window.boomed), undefined);
	},

	async "opens everything on paper"(page) {
		await page.goto(url("plain"));
		const paper = await page.pdf();
		assert.ok(paper.length > 20000);
		await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
		assert.equal(await page.locator(".cluster[open]").count(), 12);
		assert.equal(await page.locator(".body > noscript").count(), 0);
		await page.evaluate(() => dispatchEvent(new Event("afterprint")));
		assert.equal(await page.locator(".cluster[open]").count(), 0);
	},

	/* Lines behind the first hundred are unpacked when something asks for them, whichever comes first. */
	async "has the lines that are packed at first"(page) {
		const unpacked = async () => {
			assert.equal(await page.locator(".cluster").count(), 310);
			assert.equal(await page.locator(".packed").count(), 0);
		};
		await page.addInitScript(() => { window.requestIdleCallback = () => 0; });
		for (const act of [
			() => page.getByLabel("Search").fill("kind:wrong"),
			() => page.getByLabel("Nodes: filter").fill("1"),
			() => page.getByRole("button", { name: "Operator", exact: true }).click(),
			async () => { /* a link to a line that is packed */
				const id = await page.evaluate(() => /id="(f\d+)"/.exec(document.querySelector(".packed").textContent)[1]);
				await page.evaluate((at) => { location.hash = at; }, id);
				await page.locator("#" + id + "[open]").waitFor();
			},
		]) {
			await page.goto("about:blank");
			await page.goto(url("many"));
			assert.equal(await page.locator(".cluster").count(), 100);
			await act();
			await unpacked();
		}
		await page.goto("about:blank");
		await page.goto(url("many"));
		await page.getByLabel("Search").fill("hard sigmoid"); /* in the body of a line */
		assert.equal(await shown(page).count(), 26);
		await shown(page).last().evaluate((c) => { c.open = true; });
		await shown(page).last().locator(".detail").waitFor({ state: "attached" });
	},

	/* What Chromium prints must not depend on whether there was time to unpack. */
	async "prints the lines that are packed"(page) {
		await page.addInitScript(() => { window.requestIdleCallback = () => 0; });
		await page.goto(url("many"));
		await page.addStyleTag({ content: ".cluster > .body { display: none !important }" }); /* it has 600 sheets */
		assert.equal(await page.locator(".cluster").count(), 100);
		const paper = await page.pdf();
		assert.equal(await page.locator(".cluster").count(), 310);
		assert.equal(await page.locator(".packed").count(), 0);
		const sheets = paper.toString("latin1").match(/\/Type\s*\/Page\b/g).length;
		assert.ok(sheets > 310 / 14, "sheets: " + sheets); /* some ten lines on each: 32, and 11 of the first hundred */
	},

	async "unpacks lines in its own time"(page) {
		await page.goto(url("many"));
		await page.waitForFunction(() => document.querySelectorAll(".cluster").length === 310);
		const ids = await page.$$eval(".cluster", (list) => list.map((c) => c.id));
		assert.equal(new Set(ids).size, 310);
		assert.equal(await page.locator("#list > :not(.cluster)").count(), 0);
	},

	async "shows the matrix of operators and filters it"(page) {
		await page.goto(url("ops"));
		const rows = page.locator("#ops tbody tr:visible"), all = await rows.count();
		assert.ok(all > 8, "operators: " + all);
		assert.ok(await page.getByText("every case that it runs is right, up to rounding").isVisible());
		const row = rows.filter({ has: page.getByRole("rowheader", { name: "MatMul", exact: true }) });
		assert.match(await row.locator("td").nth(0).textContent(), /^\+ all/);
		assert.match(await row.locator("td").nth(1).textContent(), /^W 4 types \+ 4 types/);
		await row.locator("a").first().click();
		const wrong = page.locator("tr:target");
		assert.match(await wrong.textContent(), /wrongfault:matmul_tailMatMulfloat32.*rounding.*MatMul-/);
		await page.locator("[data-ops=result]").selectOption("wrong");
		assert.equal(await rows.count(), 1);
		await page.locator("[data-ops=library]").selectOption("reference");
		assert.equal(await rows.count(), 0);
		await page.locator("[data-ops=result]").selectOption("");
		await page.locator("[data-ops=type]").selectOption("u8");
		assert.ok(await rows.count() < all);
		await page.locator("[data-ops=type]").selectOption("");
		await page.getByRole("textbox", { name: "Operator" }).fill("globalAVER");
		assert.deepEqual(await rows.locator("th").allTextContents(), ["GlobalAveragePool",
			"com.microsoft.nchwc:GlobalAveragePool", "com.microsoft:QLinearGlobalAveragePool"]);
		await page.goto(url("plain") + "#operators");
		assert.equal(await page.locator("#ops").count(), 1);
		assert.ok(await page.getByRole("link", { name: "Operators", exact: true }).isVisible());
	},

	async "shows an empty store"(page) {
		await page.goto(url("empty"));
		assert.ok(await page.getByText("The store has no findings.").isVisible());
	},
};

async function without_script(browser) {
	const context = await browser.newContext({ javaScriptEnabled: false });
	const page = await context.newPage();
	await page.goto(url("plain"));
	assert.equal(await shown(page).count(), 12);
	assert.equal(await page.locator(".copy:visible").count(), 0);
	assert.equal(await page.locator(".filters:visible, .ops-filters:visible").count(), 0);
	assert.equal(await page.locator(".body .detail").count(), 12);
	assert.equal(await page.locator(".body .detail:visible").count(), 0);
	/* On paper the style alone opens everything, light though the system is dark. */
	await page.emulateMedia({ media: "print", colorScheme: "dark" });
	assert.equal(await page.locator(".body .detail:visible").count(), 12);
	assert.equal(await page.locator("nav:visible, .tools:visible").count(), 0);
	const print = await page.locator("body").evaluate((b) => getComputedStyle(b).backgroundColor);
	assert.equal(print, "rgb(255, 255, 255)");
	/* Headings of columns are not printed: each figure says what it is, however wide the paper. */
	const label = await page.locator("summary > .c-nodes").first()
		.evaluate((e) => getComputedStyle(e, "::before").position);
	assert.equal(label, "static");
	await page.goto(url("many"));
	assert.equal(await page.locator(".body .detail:visible").count(), 310);
	await page.emulateMedia({ media: "screen" });
	assert.equal(await shown(page).count(), 310);
	await context.close();
}

async function take_pictures(browser, to) {
	for (const width of WIDTHS) {
		for (const colorScheme of SCHEMES) {
			const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
			await page.goto(url("plain"));
			await page.locator(".cluster > summary").nth(1).click();
			await page.screenshot({ path: path.join(to, width + "-" + colorScheme + ".png"), fullPage: true });
			await page.close();
		}
	}
}

const options = { viewport: WIDE, permissions: ["clipboard-read", "clipboard-write"] };
const mayAsk = (asked) => asked.startsWith("file://" + folder);

run_all(chromium, executablePath, tests, { options, mayAsk, more: async (browser) => {
	const failed = await attempt(browser, "is complete without a script", () => without_script(browser), options, mayAsk);
	if (process.env.REPORT_PICTURES) {
		await take_pictures(browser, process.env.REPORT_PICTURES);
	}
	return failed;
} });
