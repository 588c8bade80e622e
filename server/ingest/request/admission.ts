import { AppError, authenticationError, HTTP_STATUS, rateLimited } from "../../errors.ts";
import { costOfSteps } from "../../scans/index.ts";
import type { IngestKey } from "../commit/sink.ts";
import type { Ingestion } from "../ingestion.ts";

/** Request before its body is read. */
export interface Admission<T> {
  /** Key as presented. */
  text: string | undefined;
  /** Rejects a request by its headers. @throws AppError 415 or 413 */
  check(): void;
  work(key: IngestKey): Promise<T>;
  /** Creates the error for an invalid key. The response is the same whatever is wrong with the key. */
  unauthorized(): AppError;
}

/**
 * Handles one request from the key check to the response. The order of the checks is documented in docs/ingest.md: key,
 * rate, type, size, content.
 * @throws AppError or Unavailable for everything except success
 */
export async function admitRequest<T>(parts: Ingestion, { text, check, work, unauthorized }: Admission<T>): Promise<T> {
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

/** Error that names where the request must contain the key. */
export const keyRequired = (where: string, scheme: string) =>
  authenticationError(`A valid ingest key is required ${where}`, { "WWW-Authenticate": scheme });

/**
 * A deleted key may still be cached. A request with a deleted key gets 401 for every error, instead of the error's own
 * status.
 */
const mayHideDeletion = (error: unknown) =>
  error instanceof AppError && [400, 401, 413, 415].includes(HTTP_STATUS[error.kind]);

function checkRates(parts: Ingestion, { id }: IngestKey): void {
  refuseWaiting(Math.max(parts.requestRate.wait(id), parts.eventRate.wait(id)));
  parts.requestRate.take(id, 1);
}

/**
 * Charges the events of a body before the server works on the body. Many bodies may have been admitted while the key
 * had events left; now only bodies that still find events left are accepted.
 * @throws AppError 429
 */
export function chargeEvents({ eventRate }: Ingestion, { id }: IngestKey, events: number): void {
  if (events === 0) return;
  refuseWaiting(eventRate.wait(id));
  eventRate.take(id, events);
}

/** Charges the steps of the secret scan beyond those that the request's events pay for. */
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
