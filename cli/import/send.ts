import { setTimeout as sleep } from "node:timers/promises";
import { type ApiCredentials, sendGraphqlRequest } from "../api/graphql.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import type { DryRunPlan } from "./plan.ts";
import type { ImportRow } from "./row.ts";

export interface RowResult {
  status: "created" | "exists" | "refused";
  field?: string | null;
  message?: string | null;
}

/** Maximum size of one request to import rows. The server's limits are 500 rows, 4 MiB and 10,000 values. */
const MOST = { rows: 500, bytes: 2 * 1024 * 1024, values: 8_000 };

/**
 * This mutation can be repeated without an Idempotency-Key, because a repetition leaves existing rows unchanged. The
 * leading comment hides the word `mutation` from `graphql`, which would otherwise add an Idempotency-Key.
 */
const MUTATION = `# Repeatable
mutation ($input: IssueBatchImportInput!) { issueBatchImport(input: $input) { results { status field message } } }`;

/** Server and options of an import. */
export interface ImportTarget {
  caller: ApiCredentials;
  source: string;
  /** The rows that earlier requests would have written. Set only in a dry run. */
  plan: DryRunPlan | undefined;
  /** Called before each wait that the server requests. */
  onWait(seconds: number): void;
}

/**
 * Creates functions that collect rows and send them in groups. The number of rows per request depends on the server's
 * limits and on the duration of the previous request.
 */
export function createRowSender(target: ImportTarget, done: (row: ImportRow, result: RowResult) => void) {
  let waiting: { row: ImportRow; json: string }[] = [];
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
  const add = async (row: ImportRow) => {
    const json = JSON.stringify({ [row.kind]: row.fields });
    const [bytes, values] = [Buffer.byteLength(json), json.split(/[,[{]/).length];
    if (bytes > MOST.bytes || values > MOST.values) return done(row, tooLarge(row));
    const full = waiting.length >= most || size.bytes + bytes > MOST.bytes || size.values + values > MOST.values;
    const mayClose = target.plan?.closesCircle(row) ?? false;
    if (full || mayClose) await flush();
    waiting.push({ row, json });
    size = { bytes: size.bytes + bytes, values: size.values + values };
    target.plan?.expect(row);
    // Only the client can detect that this row closes a circle. Later rows may depend on the row's rejection, so the
    // row is sent now and later rows go into the next request.
    if (mayClose) await flush();
  };
  return { add, flush };
}

/**
 * Target duration of one request in milliseconds. The embedded database has only one connection, so other users'
 * requests wait while an import request runs.
 */
const CALL_MS = 150;
const LEAST_ROWS = 25;

/**
 * Returns the number of rows for the next call. The previous call had `rows` of at most `most` rows and took `ms`
 * milliseconds.
 */
function nextRows(rows: number, most: number, ms: number): number {
  const fit = Math.round((rows * CALL_MS) / Math.max(ms, 1));
  // One call is a weak measurement, so the number changes by a factor of two at most.
  return Math.min(MOST.rows, Math.max(LEAST_ROWS, Math.min(Math.max(fit, Math.round(most / 2)), most * 2)));
}

/** Returns the refusal of a row that exceeds the limits of a call, with its longest field. */
function tooLarge({ fields }: ImportRow): RowResult {
  const lengths = Object.entries(fields).map(([field, value]) => [field, JSON.stringify(value).length] as const);
  const [field = "", length = 0] = lengths.sort(([, one], [, other]) => other - one)[0] ?? [];
  return { status: "refused", field, message: `is ${Math.round(length / 1024)} KiB long; the maximum is 256 KiB` };
}

/** Sends rows. If a whole call fails, sends its rows again in halves until only the faulty row fails. */
async function send(
  target: ImportTarget,
  rows: readonly ImportRow[],
  done: (row: ImportRow, result: RowResult) => void,
): Promise<void> {
  const before = target.plan?.before(rows) ?? [];
  const half = Math.ceil(rows.length / 2);
  const inHalves = async () => {
    await send(target, rows.slice(0, half), done);
    await send(target, rows.slice(half), done);
  };
  if (before.length + rows.length > MOST.rows && rows.length > 1) return inHalves();
  const results = await answered(target, [...before, ...rows]).catch((error): RowResult[] | undefined => {
    if (!(error instanceof CommandFailure) || (error.exit !== EXIT_CODES.usage && error.exit !== EXIT_CODES.conflict))
      throw error;
    if (rows.length > 1) return undefined;
    return [...before.map(() => ({ status: "exists" as const })), { status: "refused", message: error.message }];
  });
  if (!results) return inHalves();
  rows.forEach((row, at) => {
    const result = results[before.length + at] ?? {
      status: "refused",
      message: "got no response; import the file again",
    };
    done(row, target.plan?.settle(row, result) ?? result);
  });
}

async function answered(target: ImportTarget, rows: readonly ImportRow[]): Promise<RowResult[]> {
  const input = {
    source: target.source,
    dryRun: target.plan !== undefined,
    rows: rows.map(({ kind, fields }) => ({ [kind]: fields })),
  };
  const answer = await retryWhileBusy(target, () =>
    sendGraphqlRequest<{ issueBatchImport: { results: RowResult[] } }>(target.caller, MUTATION, { input }),
  );
  return answer.issueBatchImport.results;
}

/**
 * Maximum number of attempts for one request. The waits between attempts become longer, up to 5 s. If the server asks
 * for a longer wait (Retry-After), that wait is used.
 */
const TRIES = 12;

/** Runs `work`. If the server is busy, restarting, unreachable or limiting the rate, waits and runs `work` again. */
export async function retryWhileBusy<T>({ onWait }: Pick<ImportTarget, "onWait">, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CommandFailure) || error.retryAfter === undefined || tries >= TRIES) throw error;
      const seconds = Math.max(error.retryAfter, Math.min(tries, 5));
      onWait(seconds);
      await sleep(seconds * 1_000);
    }
  }
}
