// @ts-check
// Loaded only by `npm run mutants`. Writes which places each passing test file reaches, and the duration of the file.
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { reachedPlaces } from "./mutants.mjs";

let begun = 0;
let failed = false;
/** Places that are reached while the server is loaded, for every test file. */
let loading = new Set();

export const mochaHooks = {
  beforeAll() {
    if (begun === 0) loading = new Set(reachedPlaces);
    begun = Date.now();
    failed = false;
    reachedPlaces.clear();
  },
  /** @this {Mocha.Context} */
  afterEach() {
    failed ||= this.currentTest?.state === "failed";
  },
  /** @this {Mocha.Context} */
  afterAll() {
    const out = process.env["TEST_REACHED"];
    const file = this.test?.parent?.suites[0]?.file;
    if (!out || !file || failed) return;
    const reached = [...loading, ...reachedPlaces];
    const line = { file: relative(process.cwd(), file), ms: Date.now() - begun, reached };
    appendFileSync(out, `${JSON.stringify(line)}\n`);
  },
};
