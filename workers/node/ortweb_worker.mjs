// ONNX Runtime Web as a backend: ONNX Runtime compiled to WebAssembly, run by node.
//
// Installed: node_modules/ with onnxruntime-web and onnxruntime-common.  A trap of WebAssembly (memory out of bounds,
// unreachable code, a call of abort()) leaves the instance unusable: the process is ended, which is a crash.

import {createRequire} from "node:module";
import path from "node:path";

import {OutOfMemory, Rejected, Unsupported, count} from "./assay_worker.mjs";
import {Writer} from "./wire.mjs";

// ONNX's number of a type: its name here, and the arrays that its elements come in.
const TYPES = {
	1: ["float32", Float32Array], 2: ["uint8", Uint8Array], 3: ["int8", Int8Array], 4: ["uint16", Uint16Array],
	5: ["int16", Int16Array], 6: ["int32", Int32Array], 7: ["int64", BigInt64Array], 8: ["string", Array],
	9: ["bool", Uint8Array], 10: ["float16", Uint16Array], 11: ["float64", Float64Array],
	12: ["uint32", Uint32Array], 13: ["uint64", BigUint64Array],
};
const CODES = Object.fromEntries(Object.entries(TYPES).map(([code, [name]]) => [name, Number(code)]));
const LEVELS = {O0: "disabled", O1: "basic", O2: "extended", O99: "all"};

// How the library says that it does not have something; 9 is ORT_NOT_IMPLEMENTED.
const LACKS = new RegExp(["ERROR_CODE: 9\\b", "No Op registered for", "is not a registered function/op",
	"Unsupported model IR version", "Unknown model file format version",
	"is under development and support for this is limited", "Could not find an implementation for",
	"NOT_IMPLEMENTED", "not supported", "Failed to construct locale", "[Uu]nsupported (?:data )?type",
	"Can't access output tensor data"].join("|"));
const NO_MEMORY = /Failed to allocate memory|bad_alloc|out of memory/i;

function refuse(e) {
	const said = (e?.message ?? String(e)).split(/\s+/).join(" ");

	if (e instanceof WebAssembly.RuntimeError || /^Aborted\(|memory access out of bounds/.test(said)) {
		console.error(e?.stack ?? said);
		process.abort();
	}
	if (NO_MEMORY.test(said))
		throw new OutOfMemory(said);
	throw new (LACKS.test(said) ? Unsupported : Rejected)(said);
}

// A model with more outputs: protobuf merges a second `graph` field into the first.
function withOutputs(model, names) {
	const graph = new Writer();

	names.forEach((name) => graph.message(12, new Writer().block(1, name)));
	return names.length ? Buffer.concat([model, new Writer().message(7, graph).data()]) : model;
}

export class Backend {
	library = "onnxruntime-web";

	open(folder, options) {
		const require = createRequire(import.meta.url), root = path.resolve(folder, "node_modules", "onnxruntime-web");
		const {version} = require(path.join(root, "package.json"));

		this.ort = require(path.join(root, "dist", "ort.node.min.js"));
		this.ort.env.logLevel = "fatal";
		this.ort.env.wasm.numThreads = 1;
		this.ort.env.wasm.wasmPaths = path.join(root, "dist") + path.sep;
		if (options.simd === "0" && Number(version.split(".")[1]) > 18)
			throw new Unsupported(`onnxruntime-web ${version} has no build without SIMD`);
		this.ort.env.wasm.simd = options.simd !== "0";
		return version;
	}

	async load(model, options, outputs) {
		const level = LEVELS[options.level ?? "O99"];

		if (!level)
			throw new Unsupported(`there is no level '${options.level}'`);
		try {
			const all = {executionProviders: ["wasm"], graphOptimizationLevel: level, logSeverityLevel: 4};
			let session = await this.ort.InferenceSession.create(model, all);
			const more = outputs.filter((name) => !session.outputNames.includes(name));

			if (more.length) {
				await session.release();
				session = await this.ort.InferenceSession.create(withOutputs(model, more), all);
			}
			return session;
		} catch (e) {
			return refuse(e);
		}
	}

	outputs(session) {
		return session.outputNames;
	}

	tensor(name, t) {
		const [type, elements] = TYPES[t.dtype] ?? [];

		if (!type)
			throw new Unsupported(`input '${name}' is of a type that JavaScript's interface does not have`);
		const data = elements === Array ? t.data : new elements(t.data.buffer, t.data.byteOffset, count(t.dims));

		return new this.ort.Tensor(type, data, t.dims);
	}

	async run(session, inputs, names) {
		const feeds = {};

		for (const [name, t] of inputs)
			feeds[name] = this.tensor(name, t);
		try {
			const results = await session.run(feeds, names);

			return names.map((name) => result(name, results[name]));
		} catch (e) {
			return e instanceof Unsupported ? Promise.reject(e) : refuse(e);
		}
	}

	async unload(session) {
		await session.release();
	}
}

function result(name, t) {
	const dtype = CODES[t?.type];

	if (!dtype)
		throw new Unsupported(`output '${name}' is of a type that JavaScript's interface does not have`);
	const data = Array.isArray(t.data) ? t.data : new Uint8Array(t.data.buffer, t.data.byteOffset, t.data.byteLength);

	return {dtype, dims: [...t.dims], data};
}
