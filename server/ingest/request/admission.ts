import { AppError, authenticationError, rateLimited, STATUS } from "../../errors.ts";
import { costOfSteps } from "../../scans/index.ts";
import type { IngestKey } from "../commit/sink.ts";
import type { Ingestion } from "../ingestion.ts";

/** One request, seen from outside its body. */
export interface Admission<T> {
  /** The key as it was presented. */
  text: string | undefined;
  /** Refuses by the request's headers. @throws AppError 415 or 413 */
  check(): void;
  /** Reads and stores the body. */
  work(key: IngestKey): Promise<T>;
  /** The refusal of a key; one same answer, whatever is wrong with it. */
  unauthorized(): AppError;
}

/**
 * Takes one request from its key to its answer. The checks come in the order that docs/ingest.md gives: key, rate, type,
 * size, content.
 * @throws AppError or Unavailable for everything that is not a success
 */
export async function admit<T>(parts: Ingestion, { text, check, work, unauthorized }: Admission<T>): Promise<T> {
  const key = await parts.keys.find(text);
  if (!key) throw unauthorized();
  try {
    checkRates(parts, key);
    check();
    return await work(key);
  } catch (error) {
    if (!mayHideDeletion(error) || (await parts.keys.exists(key))) throw error;
    parts.keys.forget(text);
    throw unauthorized();
  }
}

/** The refusal that says where a key belongs. */
export const keyRequired = (where: string, scheme: string) =>
  authenticationError(`A valid ingest key is required ${where}`, { "WWW-Authenticate": scheme });

/** A key that only a cache still knows gets 401 for every mistake in its request, not the mistake's own answer. */
const mayHideDeletion = (error: unknown) =>
  error instanceof AppError && [400, 401, 413, 415].includes(STATUS[error.kind]);

function checkRates(parts: Ingestion, { id }: IngestKey): void {
  refuseWaiting(Math.max(parts.requestRate.wait(id), parts.eventRate.wait(id)));
  parts.requestRate.take(id, 1);
}

/**
 * Counts the events of a body before anything is done for it. Many bodies may have been let in while the key had events left:
 * only those are taken that still find some.
 * @throws AppError 429
 */
export function chargeEvents({ eventRate }: Ingestion, { id }: IngestKey, events: number): void {
  if (events === 0) return;
  refuseWaiting(eventRate.wait(id));
  eventRate.take(id, events);
}

/** Charges the steps that the search for secrets took, beyond those that the request's events pay for. */
export function chargeSteps(
  { eventRate }: Pick<Ingestion, "eventRate">,
  { id }: IngestKey,
  steps: number,
  events: number,
) {
  const cost = costOfSteps(steps, events);
  if (cost > 0) eventRate.take(id, cost);
}

function refuseWaiting(seconds: number): void {
  if (seconds > 0) throw rateLimited(`Too many requests or events with this key; try again in ${seconds} s`, seconds);
}
