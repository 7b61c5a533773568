// Protobuf's wire format, as far as the messages between assay and a worker need it.
//
// What is read may be anything: every length is checked, and what is wrong is an Error.  Numbers of more than 53 bits do
// not occur in these messages but as data, which nobody reads here.

export const VARINT = 0, FIXED64 = 1, LENGTH = 2, FIXED32 = 5; // kinds of fields

class Reader {
	constructor(data) {
		this.data = data;
		this.at = 0;
	}

	varint() {
		let value = 0, scale = 1;

		for (let i = 0; i < 10; i++) {
			if (this.at >= this.data.length)
				throw new Error("a message ends inside of a number");
			const byte = this.data[this.at++];

			value += (byte & 0x7f) * scale;
			scale *= 128;
			if (byte < 0x80)
				return value;
		}
		throw new Error("a number of more than ten bytes");
	}

	bytes(n) {
		if (n > this.data.length - this.at)
			throw new Error("a message ends inside of a field");
		this.at += n;
		return this.data.subarray(this.at - n, this.at);
	}
}

// The fields of a message: Map of number to the list of its values, numbers or bytes.
export function fields(data) {
	const reader = new Reader(data), found = new Map();

	while (reader.at < data.length) {
		const key = reader.varint(), number = Math.floor(key / 8), kind = key % 8;
		let value;

		if (kind === VARINT)
			value = reader.varint();
		else if (kind === LENGTH)
			value = reader.bytes(reader.varint());
		else if (kind === FIXED64 || kind === FIXED32)
			value = reader.bytes(kind === FIXED64 ? 8 : 4);
		else
			throw new Error(`a field of kind ${kind}`);
		if (!found.has(number))
			found.set(number, []);
		found.get(number).push(value);
	}
	return found;
}

export function list(message, number) {
	return message.get(number) ?? [];
}

export function number(message, at) {
	const value = list(message, at).at(-1) ?? 0;

	if (typeof value !== "number")
		throw new Error(`field ${at} is no number`);
	return value;
}

export function bytes(value) {
	if (!(value instanceof Uint8Array))
		throw new Error("a number where bytes belong");
	return value;
}

export function text(value) {
	return Buffer.from(bytes(value)).toString("utf8");
}

export function string(message, at) {
	const value = list(message, at).at(-1);

	return value === undefined ? "" : text(value);
}

// A repeated number, packed or not.
export function numbers(message, at) {
	return list(message, at).flatMap((value) => {
		if (typeof value === "number")
			return [value];
		const reader = new Reader(value), all = [];

		while (reader.at < value.length)
			all.push(reader.varint());
		return all;
	});
}

export class Writer {
	constructor() {
		this.parts = [];
	}

	varint(value) {
		const out = [];

		for (; value >= 0x80; value = Math.floor(value / 128))
			out.push((value % 128) | 0x80);
		out.push(value);
		this.parts.push(Uint8Array.from(out));
		return this;
	}

	number(at, value) {
		return value ? this.varint(at * 8 + VARINT).varint(value) : this;
	}

	block(at, data) {
		const block = typeof data === "string" ? Buffer.from(data, "utf8") : data;

		this.varint(at * 8 + LENGTH).varint(block.length);
		this.parts.push(block);
		return this;
	}

	message(at, writer) {
		return this.block(at, writer.data());
	}

	data() {
		return Buffer.concat(this.parts);
	}
}
