// The worker protocol (docs/protocol.md) for workers in JavaScript: serve(backend) answers requests until BYE.
//
// A backend has `library`, and functions that may be asynchronous: open(folder, options) gives the version,
// load(model, options, outputs) a session, outputs(session) its names, run(session, inputs, names) one tensor for each
// name, unload(session).  Tensors are {dtype, dims, data}: ONNX's number of the type, and packed bytes or, of strings,
// a list.  What it does not have is Unsupported, what it refuses Rejected.
//
// Node has no mmap(): shared memory is read and written as the file that it is.  It has threads from the start, so that
// the process cannot be copied by fork().

import fs from "node:fs";

import {Writer, bytes, fields, list, number, numbers, string, text} from "./wire.mjs";

const PROTOCOL = 1, SOCKET = 3, SHARED = 4, MAX_MESSAGE = 256 << 20, INLINE = 4096, ALIGN = 64, STRING = 8;
const OK = 0, UNSUPPORTED = 1, REJECTED = 2, FAILED = 3, OOM = 4;

export class Unsupported extends Error {}
export class Rejected extends Error {}
export class OutOfMemory extends Error {}

// Bits of an element, by ONNX's number of the type.
const BITS = {1: 32, 2: 8, 3: 8, 4: 16, 5: 16, 6: 32, 7: 64, 9: 8, 10: 16, 11: 64, 12: 32, 13: 64, 14: 64, 15: 128,
	16: 16, 17: 8, 18: 8, 19: 8, 20: 8, 21: 4, 22: 4, 23: 4, 24: 8};

export function count(dims) {
	return dims.reduce((n, d) => n * d, 1);
}

class SharedMemory {
	size = 0;
	used = 0; // by the request's tensors and the answer's

	begin(claimed) {
		this.size = fs.fstatSync(SHARED).size;
		this.used = 0;
		if (claimed > this.size)
			throw new Error(`shared memory has ${this.size} bytes, not ${claimed}`);
	}

	get(offset, size) {
		const data = new Uint8Array(size > this.size ? 0 : size);

		if (offset % ALIGN || offset > this.size || size > this.size - offset)
			throw new Error(`${size} bytes at offset ${offset} lie outside of shared memory`);
		for (let at = 0; at < size;) {
			const n = fs.readSync(SHARED, data, at, size - at, offset + at);

			if (!n)
				throw new Error("shared memory became smaller");
			at += n;
		}
		this.used = Math.max(this.used, offset + size);
		return data;
	}

	put(data) {
		const offset = Math.ceil(this.used / ALIGN) * ALIGN, end = offset + data.length;

		if (end > this.size) {
			this.size = Math.max(end, 2 * this.size);
			fs.ftruncateSync(SHARED, this.size);
		}
		for (let at = 0; at < data.length;)
			at += fs.writeSync(SHARED, data, at, data.length - at, offset + at);
		this.used = end;
		return offset;
	}
}

class Worker {
	constructor(backend) {
		this.backend = backend;
		this.shared = new SharedMemory();
		this.sessions = new Map();
		this.next = 1;
		this.opened = this.done = false;
	}

	// ---- tensors

	getTensor(data) {
		const m = fields(bytes(data)), dtype = number(m, 2), dims = numbers(m, 3);

		if (dtype === STRING)
			return {dtype, dims, data: list(m, 7).map(text)};
		if (!BITS[dtype])
			throw new Error(`a tensor of unknown type ${dtype}`);
		// A copy: typed arrays want to lie at a multiple of their element's size.
		const packed = m.has(5) ? this.shared.get(number(m, 5), number(m, 6)) : Uint8Array.from(list(m, 4).at(-1) ?? []);

		if (packed.length !== Math.ceil(count(dims) * BITS[dtype] / 8))
			throw new Error(`${packed.length} bytes do not fit the shape [${dims}]`);
		return {dtype, dims, data: packed};
	}

	getInputs(values) {
		const inputs = new Map();

		for (const data of values) {
			const m = fields(bytes(data)), name = string(m, 2);

			if (number(m, 1))
				throw new Unsupported(`input '${name}' is not a tensor`);
			inputs.set(name, this.getTensor(list(m, 3).at(-1)));
		}
		return inputs;
	}

	putTensor(t) {
		const w = new Writer().number(2, t.dtype), dims = new Writer();

		t.dims.forEach((d) => dims.varint(d));
		if (t.dims.length)
			w.message(3, dims);
		if (t.dtype === STRING) {
			t.data.forEach((s) => w.block(7, s));
			return w;
		}
		if (t.data.length !== Math.ceil(count(t.dims) * BITS[t.dtype] / 8))
			throw new Error(`a result of ${t.data.length} bytes for the shape [${t.dims}]`);
		if (t.data.length > INLINE)
			w.varint(5 * 8).varint(this.shared.put(t.data)); // also when it is 0
		else
			w.block(4, t.data);
		return w.number(6, t.data.length);
	}

	// ---- requests: each takes its message and gives the number of the answer's field and the answer

	async hello(m) {
		if (number(m, 1) !== PROTOCOL)
			throw new Unsupported(`this worker speaks version ${PROTOCOL} of the protocol, not ${number(m, 1)}`);
		if (this.opened)
			throw new Rejected("HELLO came twice");
		const version = await this.backend.open(string(m, 2), getOptions(list(m, 3)));
		const w = new Writer().number(1, PROTOCOL).block(2, this.backend.library).block(3, version);

		this.opened = true;
		for (const capability of ["load", "intermediates"])
			w.block(4, capability);
		return [5, w];
	}

	async load(m) {
		const size = number(m, 3), model = size ? this.shared.get(number(m, 2), size) : list(m, 1).at(-1);
		const session = await this.backend.load(Uint8Array.from(model ?? []), getOptions(list(m, 4)),
			list(m, 5).map(text));

		this.sessions.set(this.next, session);
		return [6, new Writer().number(1, this.next++)];
	}

	session(m) {
		if (!this.sessions.has(number(m, 1)))
			throw new Rejected(`there is no session ${number(m, 1)}`);
		return this.sessions.get(number(m, 1));
	}

	async run(m) {
		const session = this.session(m), inputs = this.getInputs(list(m, 2)), wanted = list(m, 3).map(text);
		const names = wanted.length ? wanted : this.backend.outputs(session);
		const results = await this.backend.run(session, inputs, names);
		const reply = new Writer();

		names.forEach((name, i) => reply.message(1, new Writer().block(2, name).message(3, this.putTensor(results[i]))));
		return [7, reply];
	}

	async unload(m) {
		const session = this.session(m);

		this.sessions.delete(number(m, 1));
		await this.backend.unload(session);
		return [11, new Writer()];
	}

	async bye() {
		this.done = true;
		return [11, new Writer()];
	}

	handle(at, message) {
		const handlers = {3: this.hello, 4: this.load, 5: this.run, 9: this.unload, 10: this.bye};

		if (!handlers[at])
			throw new Unsupported("a request that this worker does not have");
		if (!this.opened && at !== 3 && at !== 10)
			throw new Rejected("the first request must be HELLO");
		return handlers[at].call(this, message);
	}

	// The packed Response to a packed Request.
	async answer(data) {
		const request = fields(data), at = Math.max(0, ...[...request.keys()].filter((n) => n > 2));
		let status = OK, reason = "", body = null;

		try {
			this.shared.begin(number(request, 2));
			body = await this.handle(at, fields(bytes(list(request, at).at(-1) ?? new Uint8Array())));
		} catch (e) {
			[status, reason] = [statusOf(e), e.message || String(e)];
		}
		const w = new Writer().number(1, number(request, 1)).number(2, status);

		if (reason)
			w.block(3, reason.slice(0, 4000));
		w.number(4, this.shared.size);
		return (body ? w.message(...body) : w).data();
	}
}

function getOptions(values) {
	return Object.fromEntries(values.map((v) => fields(bytes(v))).map((m) => [string(m, 1), string(m, 2)]));
}

function statusOf(e) {
	if (e instanceof Unsupported)
		return UNSUPPORTED;
	if (e instanceof Rejected)
		return REJECTED;
	return e instanceof OutOfMemory ? OOM : FAILED;
}

// n bytes from the socket, or null at its end.
function receive(n) {
	const data = Buffer.alloc(n);

	for (let at = 0; at < n;) {
		const got = fs.readSync(SOCKET, data, at, n - at, null);

		if (!got)
			return null;
		at += got;
	}
	return data;
}

function send(data) {
	for (let at = 0; at < data.length;)
		at += fs.writeSync(SOCKET, data, at, data.length - at, null);
}

export async function serve(backend) {
	const worker = new Worker(backend);

	while (!worker.done) {
		const head = receive(4), size = head ? head.readUInt32LE() : 0;
		const message = head && size <= MAX_MESSAGE ? receive(size) : null;

		if (!message)
			break;
		const answer = await worker.answer(message), length = Buffer.alloc(4);

		length.writeUInt32LE(answer.length);
		send(Buffer.concat([length, answer]));
	}
	process.exit(0); // the library may have threads that would keep it
}
