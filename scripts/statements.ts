import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SOURCES } from "./folders.js";

/** The statements that the tests of the current code sent to PostgreSQL. Git ignores the folder. */
const PARENT = ".test-statements";
const DONE = "complete";

/** Returns the folder for the statements of the current code. */
export function statementsFolder(): string {
  const hash = createHash("sha256");
  for (const folder of SOURCES.filter((name) => name !== "web")) {
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.[jt]s$/.test(name));
    for (const name of files.sort()) hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
  }
  return join(PARENT, hash.digest("hex").slice(0, 16));
}

/** True when a complete run of tests has written its statements to the folder. */
export const isCollected = (folder: string): boolean => existsSync(join(folder, DONE));

/** Creates an empty folder, and removes the folders of older code. */
export function beginCollection(folder: string): void {
  rmSync(PARENT, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

/** Records that a complete run of tests has written its statements to the folder. */
export const endCollection = (folder: string): void => writeFileSync(join(folder, DONE), "");
