/* page.js - sorting, searching, copying and zooming; without it the page still shows everything.
 *
 * The search box takes words that must all occur, and key:word or key:"some words" for what a cluster has as data
 * (kind, op, library, version, backend, method, since, until), and key:>12 for its numbers (ratio, nodes, count).  A
 * field above each column takes the same without the key.
 *
 * A folded cluster's body is the text of a <noscript> until it is opened, and so are whole clusters behind the first
 * hundred, until there is time for them or they are asked for: a store of thousands opens at once. */
(function () {
	"use strict";

	const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));
	const one = (id) => document.getElementById(id);
	const list = one("list"), query = one("query");
	const clusters = all(".cluster");
	const fields = all("[data-filter]");
	const texts = new Map();  /* by cluster; made when the first word is searched for */
	const bodies = new Map(); /* by cluster: bodies that are still text, of lines that were packed */

	/* Makes lines of clusters that were only text.  Their bodies, which stand between comments, stay text. */
	function unpack(packed) {
		const box = document.createElement("div"), pieces = packed.textContent.split(/<!--\/?body-->/);
		box.innerHTML = pieces.filter((_, i) => i % 2 === 0).join("");
		const lines = Array.from(box.children);
		lines.forEach((line, i) => bodies.set(line, pieces[2 * i + 1]));
		clusters.push(...lines);
		packed.replaceWith(...lines);
	}

	/* The text of a body that has no elements yet; undefined: it has. */
	function folded(cluster) {
		const text = cluster.querySelector(".body > noscript");
		return text ? text.textContent : bodies.get(cluster);
	}

	function unpack_all() {
		all("#list > .packed").forEach(unpack);
	}

	const later = window.requestIdleCallback || ((act) => setTimeout(act, 20));

	function unpack_in_time() {
		const packed = document.querySelector("#list > .packed");
		if (packed) {
			unpack(packed);
			later(unpack_in_time);
		}
	}

	function say(text) {
		one("said").textContent = text;
	}

	/* ---- searching ---- */

	const NUMBERS = ["ratio", "nodes", "count"];
	const WORDS = ["kind", "op", "library", "version", "backend", "method", "since", "until"];
	const KEYED = new RegExp("(" + WORDS.concat(NUMBERS).join("|") + '):(?:"([^"]*)"?|(\\S+))|(\\S+)', "g");
	const SIGNS = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };

	/* What is searched: the line, the sentence, facts and commands; pictures and evidence name whole networks. */
	function told(cluster) {
		const body = folded(cluster);
		if (body === undefined) {
			return all("summary, .detail, .facts, code", cluster).map((e) => e.textContent).join(" ").toLowerCase();
		}
		const bare = body.replace(/<figure>[^]*?<\/figure>|<div class="scroll"[^]*?<\/div>|<details[^]*$/g, " ")
			.replace(/<[^>]*>/g, " ").replace(/&(lt|gt|amp|quot|#39);/g, (_, name) => SIGNS[name]);
		return (cluster.firstElementChild.textContent + " " + bare).toLowerCase();
	}

	function text_of(cluster) {
		if (!texts.has(cluster)) {
			texts.set(cluster, told(cluster));
		}
		return texts.get(cluster);
	}

	function parse(text) {
		return Array.from(text.toLowerCase().matchAll(KEYED), (w) => ({ key: w[1], exact: w[2], part: w[3] || w[4] }));
	}

	/* "12", ">12", ">= 12", "≤12"; a plain number is the least that is shown. */
	function compares(value, text) {
		const [, sign, number] = /^\s*(<=?|>=?|=|≤|≥)?\s*(.*?)\s*$/.exec(text);
		const x = Number(value), y = number === "∞" || number === "inf" ? 1e308 : Number(number);
		if (number === "") { /* still being typed */
			return true;
		}
		if (value === "" || Number.isNaN(y)) {
			return false;
		}
		switch (sign) {
		case "<": return x < y;
		case "<=": case "≤": return x <= y;
		case ">": return x > y;
		case "=": return x === y;
		default: return x >= y;
		}
	}

	function matches(cluster, word) {
		if (!word.key) {
			return text_of(cluster).includes(word.part);
		}
		const value = (cluster.dataset[word.key] || "").toLowerCase();
		if (NUMBERS.includes(word.key)) {
			return compares(value, word.exact === undefined ? word.part : word.exact);
		}
		if (word.exact !== undefined) {
			return value === word.exact;
		}
		/* The column of libraries shows versions too. */
		const shown = word.key === "library" ? value + " " + cluster.dataset.version.toLowerCase() : value;
		return shown.includes(word.part || "");
	}

	function search() {
		const words = parse(query.value);
		for (const field of fields) {
			if (field.value.trim()) {
				words.push({ key: field.dataset.filter, part: field.value.trim().toLowerCase() });
			}
		}
		let shown = 0;
		unpack_all();
		for (const cluster of clusters) {
			const hidden = !words.every((word) => matches(cluster, word));
			if (cluster.hidden !== hidden) {
				cluster.hidden = hidden;
			}
			shown += hidden ? 0 : 1;
		}
		one("shown").textContent = shown + " of " + clusters.length;
		one("none").hidden = shown > 0;
	}

	function ask(text) {
		query.value = text.trim();
		fields.forEach((f) => { f.value = ""; });
		search();
		one("clusters").scrollIntoView();
		query.focus({ preventScroll: true });
	}

	/* ---- sorting ---- */

	const words = new Intl.Collator("en", { numeric: true });

	function compare(key, numeric) {
		return (a, b) => {
			const x = a.dataset[key], y = b.dataset[key];
			if (numeric) {
				return x - y;
			}
			/* What is not known comes last in either order; see sort(). */
			return words.compare(x, y);
		};
	}

	function sort(button) {
		const key = button.dataset.sort, numeric = button.dataset.numeric === "1";
		const before = button.dataset.order;
		const up = before ? before === "down" : !numeric; /* numbers begin with the largest */
		const order = compare(key, numeric), sign = up ? 1 : -1;
		unpack_all();
		clusters.sort((a, b) => (a.dataset[key] === "") - (b.dataset[key] === "") || sign * order(a, b));
		list.append(...clusters);
		for (const other of all("[data-sort]")) {
			delete other.dataset.order;
			other.setAttribute("aria-pressed", "false");
		}
		button.dataset.order = up ? "up" : "down";
		button.setAttribute("aria-pressed", "true");
		say("Sorted by " + button.textContent + (up ? ", ascending" : ", descending"));
	}

	/* ---- copying ---- */

	function copy(button) {
		const code = button.parentElement.querySelector("code");
		const done = (ok) => {
			const label = button.firstChild, before = "Copy";
			label.data = ok ? "Copied" : "Select it";
			say(ok ? "Copied" : "Copying is not allowed here; the command is selected");
			setTimeout(() => { label.data = before; }, 1500);
		};
		/* A page opened as a file may have no clipboard: then the text is selected for the user. */
		const select = () => {
			getSelection().selectAllChildren(code);
			done(false);
		};
		if (navigator.clipboard) {
			navigator.clipboard.writeText(code.textContent).then(() => done(true), select);
		} else {
			select();
		}
	}

	/* ---- pictures ---- */

	const MANY_NODES = 30;
	const PAPER = { width: 900, height: 1100 }; /* of a picture, so that its words can be read on a page */

	/* On paper nobody can scroll: of a large picture the part around the node that stands out most is printed. */
	function crop(picture) {
		const svg = picture.querySelector("svg"), whole = svg && svg.viewBox.baseVal;
		const mark = svg && all(".mark", svg).sort((a, b) => light(a) - light(b))[0];
		if (!mark || picture.nextElementSibling?.className === "part" ||
			(whole.width <= 2 * PAPER.width && whole.height <= 2 * PAPER.height)) {
			return () => {};
		}
		const box = mark.getBBox(), before = svg.getAttribute("viewBox");
		const middle = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2)
			.matrixTransform(svg.getScreenCTM().inverse().multiply(mark.getScreenCTM()));
		const from = (at, size, start, length) => Math.max(start, Math.min(at - size / 2, start + length - size));
		const width = Math.min(PAPER.width, whole.width), height = Math.min(PAPER.height, whole.height);
		const size = ["width", "height"].map((name) => [name, svg.getAttribute(name)]);
		const part = document.createElement("p");
		part.className = "part";
		part.textContent = "The part around the node that stands out most; the page on a screen has all of it.";
		svg.setAttribute("viewBox", [from(middle.x, width, whole.x, whole.width),
			from(middle.y, height, whole.y, whole.height), width, height].join(" "));
		svg.setAttribute("width", width);
		svg.setAttribute("height", height);
		picture.after(part);
		return () => {
			svg.setAttribute("viewBox", before);
			size.forEach(([name, value]) => svg.setAttribute(name, value));
			part.remove();
		};
	}

	function zoom(picture) {
		const svg = picture.querySelector("svg");
		const width = svg.width.baseVal.value, height = svg.height.baseVal.value;
		let scale = 1;
		const set = (s) => {
			scale = Math.min(4, Math.max(0.05, s));
			svg.setAttribute("width", width * scale);
			svg.setAttribute("height", height * scale);
		};
		const fit = () => set(Math.min(1, (picture.clientWidth - 18) / width, (picture.clientHeight - 18) / height));
		const tools = document.createElement("div");
		tools.className = "zoom";
		tools.setAttribute("role", "group");
		tools.setAttribute("aria-label", "Zoom and find");
		for (const [text, label, act] of [
			["−", "Zoom out", () => set(scale / 1.3)],
			["+", "Zoom in", () => set(scale * 1.3)],
			["Fit", "Fit to the frame", fit],
			["1:1", "1:1, full size", () => set(1)],
		]) {
			tools.append(press(text, label, act));
		}
		picture.after(tools);
		if (width > picture.clientWidth) {
			set(Math.max(0.6, (picture.clientWidth - 18) / width));
		}
		/* Begin at the node that stands out most: the darkest, else the first that is marked. */
		const marked = all(".mark", svg).sort((a, b) => light(a) - light(b));
		if (marked.length) {
			show_node(picture, marked[0]);
		}
		if (all(".box, .mark", svg).length > MANY_NODES) {
			find_nodes(picture, tools, marked, () => set(Math.max(scale, 0.8)));
		}
	}

	function press(text, label, act) {
		const button = document.createElement("button");
		button.type = "button";
		button.textContent = text;
		button.setAttribute("aria-label", label);
		button.addEventListener("click", act);
		return button;
	}

	/* Into the middle of the frame, without moving the page. */
	function show_node(picture, node) {
		const box = node.getBoundingClientRect(), frame = picture.getBoundingClientRect();
		picture.scrollTop += box.top + box.height / 2 - frame.top - frame.height / 2;
		picture.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
	}

	/* In a large network nobody finds a node by scrolling: by a part of its name or operator, or from one that is marked
	 * to the next, the darkest first.  Each press goes on to the next one. */
	function find_nodes(picture, tools, marked, enlarge) {
		const boxes = all(".box, .mark", picture), field = document.createElement("input"), found = document.createElement("output");
		let before = "", at = -1;
		const step = (list, key) => {
			at = key === before ? at + 1 : 0;
			before = key;
			boxes.forEach((b) => b.classList.remove("found"));
			found.textContent = list.length ? (at % list.length + 1) + " of " + list.length : "none";
			if (list.length) {
				const node = list[at % list.length];
				enlarge();
				node.classList.add("found");
				show_node(picture, node);
			}
		};
		const named = (text) => boxes.filter((b) =>
			all("text", b).some((t) => t.textContent.toLowerCase().includes(text)));
		const find = () => field.value.trim() && step(named(field.value.trim().toLowerCase()), "name " + field.value);
		field.type = "search";
		field.placeholder = "Find a node";
		field.setAttribute("aria-label", "Find a node");
		field.addEventListener("keydown", (e) => { if (e.key === "Enter") { find(); } });
		found.setAttribute("role", "status");
		tools.append(field, press("Find", "Find", find));
		if (marked.length) {
			tools.append(press("Next marked", "Next marked", () => step(marked, "marked")));
		}
		tools.append(found);
	}

	function light(mark) {
		const fill = mark.querySelector("rect").getAttribute("fill");
		return [1, 3, 5].reduce((sum, at) => sum + (parseInt(fill.slice(at, at + 2), 16) || 0), 0);
	}

	/* Makes elements of a body that was only text. */
	function fill(cluster) {
		const text = folded(cluster);
		if (text !== undefined) {
			const body = cluster.querySelector(".body");
			body.innerHTML = text;
			bodies.delete(cluster);
			enliven(body);
		}
	}

	function enliven(body) {
		all(".copy", body).forEach((b) => {
			b.hidden = false;
			b.addEventListener("click", () => copy(b));
		});
	}

	/* Sizes are known only once a cluster is open. */
	function open(cluster) {
		if (cluster.open && !cluster.dataset.seen) {
			fill(cluster);
			cluster.dataset.seen = "1";
			all(".picture", cluster).forEach(zoom);
		}
	}

	/* A link to #f17 opens that cluster. */
	function follow() {
		const id = /^#f\d+$/.test(location.hash) && location.hash.slice(1);
		if (id && !one(id)) {
			unpack_all();
		}
		const cluster = id && one(id);
		if (cluster) {
			cluster.open = true;
			open(cluster);
			cluster.scrollIntoView();
		}
	}

	/* ---- the matrix of operators ---- */

	/* A piece of a cell stands for the types that came to one result: it is shown when one of them is asked for.  Rows
	 * without any are not shown. */
	function sift(table, wanted) {
		const heads = all("thead th", table), rows = all("tbody tr", table);
		const columns = heads.map((h, i) => !i || !wanted.library || h.textContent === wanted.library);
		const fits = (m) => (!wanted.result || m.classList.contains(wanted.result)) &&
			(!wanted.type || m.dataset.types.split(" ").includes(wanted.type));
		let shown = 0;
		heads.forEach((h, i) => { h.hidden = !columns[i]; });
		for (const row of rows) {
			let any = false;
			Array.from(row.cells).forEach((cell, i) => {
				cell.hidden = !columns[i];
				for (const m of all(".m", cell)) {
					m.hidden = !fits(m);
					any = any || (!m.hidden && columns[i]);
				}
			});
			row.hidden = !any || !row.cells[0].textContent.toLowerCase().includes(wanted.op);
			shown += row.hidden ? 0 : 1;
		}
		one("ops-shown").textContent = shown + " of " + rows.length + " operators";
	}

	function filter_operators(table) {
		const inputs = all("[data-ops]");
		const act = () => sift(table, Object.fromEntries(inputs.map((i) => [i.dataset.ops, i.value.trim()])
			.map(([key, value]) => [key, key === "op" ? value.toLowerCase() : value])));
		inputs.forEach((i) => i.addEventListener("input", act));
		document.querySelector(".ops-filters").hidden = false;
		act();
	}

	/* ---- the page comes alive ---- */

	if (one("ops")) {
		filter_operators(one("ops"));
	}

	if (list) {
		query.addEventListener("input", search);
		fields.forEach((f) => f.addEventListener("input", search));
		all(".filters").forEach((f) => { f.hidden = false; });
		all("[data-sort]").forEach((b) => {
			b.setAttribute("aria-pressed", "false");
			b.addEventListener("click", () => sort(b));
		});
		all("[data-query]").forEach((b) => b.addEventListener("click", () => ask(b.dataset.query)));
		const unfold = one("unfold");
		unfold.addEventListener("click", () => {
			const to = unfold.getAttribute("aria-pressed") !== "true";
			unpack_all();
			clusters.forEach((c) => { c.open = to && !c.hidden; });
			unfold.setAttribute("aria-pressed", String(to));
			unfold.textContent = to ? "Close all" : "Open all";
		});
	}
	document.addEventListener("toggle", (e) => { /* it does not bubble, but it is caught on its way */
		if (e.target.classList.contains("cluster")) {
			open(e.target);
		}
	}, true);
	all(".cluster[open] .body").forEach(enliven);
	const more = one("more");
	if (more) {
		const table = document.querySelector(".matrix");
		table.classList.add("folded");
		more.hidden = false;
		more.addEventListener("click", () => {
			const folded = table.classList.toggle("folded");
			more.setAttribute("aria-expanded", String(!folded));
			more.hidden = !folded;
		});
	}
	let closed = [], cropped = [];
	addEventListener("beforeprint", () => {
		unpack_all();
		closed = clusters.filter((c) => !c.open && !c.hidden);
		clusters.forEach(fill);
		closed.forEach((c) => { c.open = true; });
		cropped = all(".picture").map(crop);
	});
	addEventListener("afterprint", () => {
		cropped.splice(0).forEach((undo) => undo());
		closed.forEach((c) => { c.open = false; });
	});
	addEventListener("hashchange", follow);
	follow();
	later(unpack_in_time);
})();
