/* page.js - sorting, searching, copying and zooming; without it the page still shows everything.
 *
 * The search box takes words that must all occur, and key:word or key:"some words" for the keys kind, op and library. */
(function () {
	"use strict";

	const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));
	const one = (id) => document.getElementById(id);
	const list = one("list"), query = one("query");
	const clusters = all(".cluster");
	/* What is searched: the line, the sentence, facts and commands; pictures and evidence name whole networks. */
	const told = (c) => all("summary, .detail, .facts, code", c).map((e) => e.textContent).join(" ").toLowerCase();
	const texts = new Map(clusters.map((c) => [c, told(c)]));

	function say(text) {
		one("said").textContent = text;
	}

	/* ---- searching ---- */

	function parse(text) {
		const words = text.toLowerCase().matchAll(/(kind|op|library):(?:"([^"]*)"?|(\S+))|(\S+)/g);
		return Array.from(words, (w) => ({ key: w[1], exact: w[2], part: w[3] || w[4] }));
	}

	function matches(cluster, word) {
		if (!word.key) {
			return texts.get(cluster).includes(word.part);
		}
		const value = (cluster.dataset[word.key] || "").toLowerCase();
		return word.exact === undefined ? value.includes(word.part || "") : value === word.exact;
	}

	function search() {
		const words = parse(query.value);
		let shown = 0;
		for (const cluster of clusters) {
			cluster.hidden = !words.every((word) => matches(cluster, word));
			shown += cluster.hidden ? 0 : 1;
		}
		one("shown").textContent = shown + " of " + clusters.length;
		one("none").hidden = shown > 0;
	}

	function ask(text) {
		query.value = text.trim();
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

	function zoom(picture) {
		const svg = picture.querySelector("svg");
		const width = svg.width.baseVal.value, height = svg.height.baseVal.value;
		let scale = 1;
		const set = (s) => {
			scale = Math.min(4, Math.max(0.05, s));
			svg.setAttribute("width", width * scale);
			svg.setAttribute("height", height * scale);
		};
		const fit = () => set(Math.min(1, (picture.clientWidth - 18) / width));
		const tools = document.createElement("div");
		tools.className = "zoom";
		tools.setAttribute("role", "group");
		tools.setAttribute("aria-label", "Zoom");
		for (const [text, label, act] of [
			["−", "Zoom out", () => set(scale / 1.3)],
			["+", "Zoom in", () => set(scale * 1.3)],
			["Fit", "Fit to the width", fit],
			["1:1", "Full size", () => set(1)],
		]) {
			const button = document.createElement("button");
			button.type = "button";
			button.textContent = text;
			button.setAttribute("aria-label", label);
			button.addEventListener("click", act);
			tools.append(button);
		}
		picture.after(tools);
		if (width > picture.clientWidth) {
			set(Math.max(0.6, (picture.clientWidth - 18) / width));
		}
		/* Begin at the node that stands out most: the darkest, else the first that is marked. */
		const marked = all(".mark", svg), darkest = marked.sort((a, b) => light(a) - light(b))[0];
		if (darkest) {
			const box = darkest.getBoundingClientRect(), frame = picture.getBoundingClientRect();
			picture.scrollTop += box.top + box.height / 2 - frame.top - frame.height / 2;
			picture.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
		}
	}

	function light(mark) {
		const fill = mark.querySelector("rect").getAttribute("fill");
		return [1, 3, 5].reduce((sum, at) => sum + (parseInt(fill.slice(at, at + 2), 16) || 0), 0);
	}

	/* Sizes are known only once a cluster is open. */
	function open(cluster) {
		if (cluster.open && !cluster.dataset.seen) {
			cluster.dataset.seen = "1";
			all(".picture", cluster).forEach(zoom);
		}
	}

	/* A link to #f17 opens that cluster. */
	function follow() {
		const cluster = /^#f\d+$/.test(location.hash) && one(location.hash.slice(1));
		if (cluster) {
			cluster.open = true;
			cluster.scrollIntoView();
		}
	}

	/* ---- the page comes alive ---- */

	if (list) {
		query.addEventListener("input", search);
		all("[data-sort]").forEach((b) => {
			b.setAttribute("aria-pressed", "false");
			b.addEventListener("click", () => sort(b));
		});
		all("[data-query]").forEach((b) => b.addEventListener("click", () => ask(b.dataset.query)));
		clusters.forEach((c) => c.addEventListener("toggle", () => open(c)));
		const unfold = one("unfold");
		unfold.addEventListener("click", () => {
			const to = unfold.getAttribute("aria-pressed") !== "true";
			clusters.forEach((c) => { c.open = to && !c.hidden; });
			unfold.setAttribute("aria-pressed", String(to));
			unfold.textContent = to ? "Close all" : "Open all";
		});
	}
	all(".copy").forEach((b) => {
		b.hidden = false;
		b.addEventListener("click", () => copy(b));
	});
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
	let closed = [];
	addEventListener("beforeprint", () => {
		closed = clusters.filter((c) => !c.open && !c.hidden);
		closed.forEach((c) => { c.open = true; });
	});
	addEventListener("afterprint", () => closed.forEach((c) => { c.open = false; }));
	addEventListener("hashchange", follow);
	follow();
})();
