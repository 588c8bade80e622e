import { setTimeout as sleep } from "node:timers/promises";
import { type Caller, graphql } from "../api/graphql.ts";
import { EXIT, Failure } from "../failure.ts";
import type { Plan } from "./plan.ts";
import type { Row } from "./row.ts";

/** The outcome of a row. */
export interface Result {
  status: "created" | "exists" | "refused";
  field?: string | null;
  message?: string | null;
}

/** Most of one call: the server takes 500 rows, 4 MiB and 10,000 values. */
const MOST = { rows: 500, bytes: 2 * 1024 * 1024, values: 8_000 };

/** It needs no Idempotency-Key, and so does not begin as other mutations do: rows that are there stay as they are. */
const MUTATION = `# Repeatable
mutation ($input: IssueBatchImportInput!) { issueBatchImport(input: $input) { results { status field message } } }`;

/** The address of an import. */
export interface Target {
  caller: Caller;
  source: string;
  /** In a dry run, what the rows before would have written. */
  plan: Plan | undefined;
  /** Called while the server lets wait. */
  onWait(seconds: number): void;
}

/** Gathers rows and sends them in calls as large as the server takes, and as it does in a short time. */
export function sender(target: Target, done: (row: Row, result: Result) => void) {
  let waiting: { row: Row; json: string }[] = [];
  let size = { bytes: 0, values: 0 };
  let most = 100;
  const flush = async () => {
    const rows = waiting.map(({ row }) => row);
    [waiting, size] = [[], { bytes: 0, values: 0 }];
    if (rows.length === 0) return;
    const begun = performance.now();
    await send(target, rows, done);
    most = nextRows(rows.length, most, performance.now() - begun);
  };
  const add = async (row: Row) => {
    const json = JSON.stringify({ [row.kind]: row.fields });
    const [bytes, values] = [Buffer.byteLength(json), json.split(/[,[{]/).length];
    if (bytes > MOST.bytes || values > MOST.values) return done(row, tooLarge(row));
    const full = waiting.length >= most || size.bytes + bytes > MOST.bytes || size.values + values > MOST.values;
    const mayClose = target.plan?.closesCircle(row) ?? false;
    if (full || mayClose) await flush();
    waiting.push({ row, json });
    size = { bytes: size.bytes + bytes, values: size.values + values };
    target.plan?.expect(row);
    // Rows after a circle may rest on its being refused, which the server does not know.
    if (mayClose) await flush();
  };
  return { add, flush };
}

/** The time a call should take: the embedded database has one connection, and others wait for it meanwhile. */
const CALL_MS = 150;
const LEAST_ROWS = 25;

/** The rows of the next call, after one of `rows`, for which `most` was the limit, took so long. */
function nextRows(rows: number, most: number, ms: number): number {
  const fit = Math.round((rows * CALL_MS) / Math.max(ms, 1));
  // A short call says little: twice as many at once, and no fewer than half.
  return Math.min(MOST.rows, Math.max(LEAST_ROWS, Math.min(Math.max(fit, Math.round(most / 2)), most * 2)));
}

/** Names the longest field of a row that no call can hold. */
function tooLarge({ fields }: Row): Result {
  const lengths = Object.entries(fields).map(([field, value]) => [field, JSON.stringify(value).length] as const);
  const [field = "", length = 0] = lengths.sort(([, one], [, other]) => other - one)[0] ?? [];
  return { status: "refused", field, message: `is ${Math.round(length / 1024)} KiB long; a text is at most 256 KiB` };
}

/** Sends rows. A call that fails as a whole is sent again in halves, so that it is one row that is at fault. */
async function send(target: Target, rows: readonly Row[], done: (row: Row, result: Result) => void): Promise<void> {
  const before = target.plan?.before(rows) ?? [];
  const half = Math.ceil(rows.length / 2);
  const inHalves = async () => {
    await send(target, rows.slice(0, half), done);
    await send(target, rows.slice(half), done);
  };
  if (before.length + rows.length > MOST.rows && rows.length > 1) return inHalves();
  const results = await answered(target, [...before, ...rows]).catch((error): Result[] | undefined => {
    if (!(error instanceof Failure) || (error.exit !== EXIT.usage && error.exit !== EXIT.conflict)) throw error;
    if (rows.length > 1) return undefined;
    return [...before.map(() => ({ status: "exists" as const })), { status: "refused", message: error.message }];
  });
  if (!results) return inHalves();
  rows.forEach((row, at) => {
    const result = results[before.length + at] ?? { status: "refused", message: "was not answered; import again" };
    done(row, target.plan?.settle(row, result) ?? result);
  });
}

async function answered(target: Target, rows: readonly Row[]): Promise<Result[]> {
  const input = {
    source: target.source,
    dryRun: target.plan !== undefined,
    rows: rows.map(({ kind, fields }) => ({ [kind]: fields })),
  };
  const answer = await patient(target, () =>
    graphql<{ issueBatchImport: { results: Result[] } }>(target.caller, MUTATION, { input }),
  );
  return answer.issueBatchImport.results;
}

/** Tries of one call, with growing waits where the server names none. */
const TRIES = 12;

/** Does what a server that is busy, restarting or counting an hour's limits makes wait for. */
export async function patient<T>({ onWait }: Pick<Target, "onWait">, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Failure) || error.retryAfter === undefined || tries >= TRIES) throw error;
      const seconds = Math.max(error.retryAfter, Math.min(tries, 5));
      onWait(seconds);
      await sleep(seconds * 1_000);
    }
  }
}
