// @ts-check
// Loaded by `npm run mutants` alone: writes which places each test file reaches, and how long it takes.
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { reachedPlaces } from "./mutants.mjs";

let begun = 0;

export const mochaHooks = {
  beforeAll() {
    begun = Date.now();
    reachedPlaces.clear();
  },
  /** @this {Mocha.Context} */
  afterAll() {
    const out = process.env["TEST_REACHED"];
    const file = this.test?.parent?.suites[0]?.file;
    if (!out || !file) return;
    const reached = [...reachedPlaces];
    const line = { file: relative(process.cwd(), file), ms: Date.now() - begun, reached };
    appendFileSync(out, `${JSON.stringify(line)}\n`);
  },
};
