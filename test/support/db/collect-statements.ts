import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { prepareValue } from "../../../db/pipeline/driver.ts";
import { citusUrl } from "./citus.ts";

// Collects every distinct statement that the servers of a run send to PostgreSQL, with the values of one execution, in
// the folder of TEST_STATEMENTS. test/db/citus-statements.slow.test.ts runs them on Citus.

/** A statement, the values of one execution, and the place in the code that sent it. */
export interface CollectedStatement {
  text: string;
  /** Values in the encoding of the driver; bytes are in base64. */
  values: (string | null | { bytes: string })[];
  place: string;
}

const FOLDER = process.env["TEST_STATEMENTS"];
const ROOT = new URL("../../..", import.meta.url).pathname;
/** Maximum total length of the kept values. An execution with longer values is replaced by a later execution. */
const MAX_CHARACTERS = 20_000;
const MAX_FRAMES = 60;

/** Returns the same text for statements that differ only in the number or content of their literals and parameters. */
const shapeOf = (text: string): string =>
  text
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .replaceAll(/\$\d+/g, "$")
    .replaceAll(/(\(?\$(?:::[\w[\]]+)?\)?, ?)+/g, "$, ");

/** True while a kept execution of this shape has large values. */
const kept = new Map<string, boolean>();
let lines: string[] = [];

function collect(text: string, values: readonly unknown[] = []): void {
  const shape = shapeOf(text);
  const isLarge = kept.get(shape);
  if (isLarge === false) return;
  const place = findPlace();
  if (!place) return;
  const written = values.map((value) => {
    const prepared = prepareValue(value);
    return Buffer.isBuffer(prepared) ? { bytes: prepared.toString("base64") } : prepared;
  });
  const line = JSON.stringify({ text, values: written, place });
  if (isLarge && line.length - text.length > MAX_CHARACTERS) return;
  kept.set(shape, line.length - text.length > MAX_CHARACTERS);
  lines.push(line);
}

/**
 * Finds the first file of the server on the stack above the functions that send every statement. Returns undefined
 * for statements of tests and migrations.
 */
function findPlace(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  const { stack = "" } = new Error("here");
  Error.stackTraceLimit = stackTraceLimit;
  const frames = stack.split("\n").flatMap((line) => {
    const at = line.indexOf(ROOT);
    return at < 0 ? [] : line.slice(at + ROOT.length).replace(/:\d+\)?$/, "");
  });
  const first =
    frames.find(
      (frame) =>
        !/^(node_modules|test\/support\/db\/collect|db\/(pipeline|statements|pool|errors|engine)|server\/write\/group-commit)/.test(
          frame,
        ),
    ) ?? frames.find((frame) => frame.startsWith("server/"));
  return first && /^(test|bench|scripts|db\/migrations)\//.test(first) ? undefined : (first ?? "an unknown place");
}

/** Starts to collect statements, if TEST_STATEMENTS names a folder. */
export function collectStatements(): void {
  if (!FOLDER || citusUrl) return;
  subscribe("trackway:statement", (message) => {
    const { text, values } = message as { text: string; values?: readonly unknown[] };
    collect(text, values);
  });
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [config, values] = args as [string | { text?: string; values?: unknown[]; submit?: unknown }, unknown];
    const { text = "", submit, ...more } = typeof config === "string" ? { text: config } : config;
    if (!submit && text) collect(text, Array.isArray(values) ? values : (more as { values?: unknown[] }).values);
    return Reflect.apply(query, this, args);
  } as typeof query;
}

/** Writes the statements that were collected since the last call. */
export function writeStatements(): void {
  if (!FOLDER || lines.length === 0) return;
  appendFileSync(join(FOLDER, `${process.pid}.jsonl`), lines.map((line) => `${line}\n`).join(""));
  lines = [];
}

/** Reads the distinct statements in a folder. */
export function readStatements(folder: string): CollectedStatement[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const all = files.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean));
  const found = new Map<string, CollectedStatement>();
  for (const line of all.sort((one, other) => other.length - one.length)) {
    const statement: CollectedStatement = JSON.parse(line);
    found.set(shapeOf(statement.text), statement);
  }
  return [...found.values()];
}
