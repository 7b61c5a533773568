// live.js - looks every two seconds whether the store has changed, and then puts the new page in the place of this one.
// All of it comes from the same server, which escapes what others wrote; no script in it would run.
"use strict";

(() => {
	const SECONDS = 2;
	const state = document.getElementById("state");

	const say = (text, failed) => {
		state.textContent = text;
		state.classList.toggle("failed", failed);
	};

	const get = async (path) => {
		const answer = await fetch(path, { cache: "no-store", redirect: "error" });
		if (!answer.ok) {
			throw new Error(`${answer.status}`);
		}
		return answer;
	};

	const renew = async () => {
		const text = await (await get("/")).text();
		const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("live");
		if (fresh) {
			document.getElementById("live").replaceWith(document.adoptNode(fresh));
		}
	};

	const look = async () => {
		try {
			const status = await (await get("/api/status")).json();
			if (String(status.version) !== document.getElementById("live").dataset.version) {
				await renew();
			}
			say("live", false);
		} catch (error) {
			say("the server does not answer", true);
		}
		setTimeout(look, 1000 * SECONDS);
	};

	setTimeout(look, 1000 * SECONDS);
})();
