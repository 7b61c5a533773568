// Starts the worker of one backend in JavaScript: worker.mjs NAME serves Backend of <NAME>_worker.mjs.

import path from "node:path";

import {serve} from "./assay_worker.mjs";

const {Backend} = await import(`./${path.basename(process.argv[2] ?? "")}_worker.mjs`);

await serve(new Backend());
