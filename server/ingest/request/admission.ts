import { AppError, authenticationError, HTTP_STATUS, rateLimited } from "../../errors.ts";
import { computeScanCost } from "../../scans/index.ts";
import type { IngestCredential } from "../commit/sink.ts";
import type { Ingestion } from "../ingestion.ts";

/** Request before its body is read. */
export interface RequestAdmission<T> {
  /** Key as presented. */
  text: string | undefined;
  /** Rejects a request whose headers are not acceptable. @throws AppError 415 or 413 */
  check(): void;
  work(key: IngestCredential): Promise<T>;
  /** Creates the error for an invalid key. The error does not show why the key is invalid. */
  unauthorized(): AppError;
}

/**
 * Handles one request from the key check to the response. Checks the key, the rate, the media type, the size and the
 * content, in the order that docs/ingest.md describes.
 * @throws AppError or UnavailableError for everything except success
 */
export async function admitRequest<T>(
  parts: Ingestion,
  { text, check, work, unauthorized }: RequestAdmission<T>,
): Promise<T> {
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

/** Creates the error for a missing or invalid key. The message tells where in the request to send the key. */
export const ingestKeyRequiredError = (where: string, scheme: string) =>
  authenticationError(`A valid ingest key is required ${where}`, { "WWW-Authenticate": scheme });

/**
 * Returns true for errors after which the key must be checked again, because a deleted key may still be cached. If the
 * key was deleted, the response is 401 instead of the error's own status.
 */
const mayHideDeletion = (error: unknown) =>
  error instanceof AppError && [400, 401, 413, 415].includes(HTTP_STATUS[error.kind]);

function checkRates(parts: Ingestion, { id }: IngestCredential): void {
  refuseWaiting(Math.max(parts.requestRate.wait(id), parts.eventRate.wait(id)));
  parts.requestRate.take(id, 1);
}

/**
 * Charges the events of a body to the key before the body is processed. Several requests may have passed the first rate
 * check at the same time, so the rate is checked again: the body is accepted only if the key still has events left.
 * @throws AppError 429
 */
export function chargeEvents({ eventRate }: Ingestion, { id }: IngestCredential, events: number): void {
  if (events === 0) return;
  refuseWaiting(eventRate.wait(id));
  eventRate.take(id, events);
}

/**
 * Charges the steps of a secret scan to the key. Each event of the request already pays for some steps; only the
 * remaining steps are charged.
 */
export function chargeSteps(
  { eventRate }: Pick<Ingestion, "eventRate">,
  { id }: IngestCredential,
  steps: number,
  events: number,
) {
  const cost = computeScanCost(steps, events);
  if (cost > 0) eventRate.take(id, cost);
}

function refuseWaiting(seconds: number): void {
  if (seconds > 0) throw rateLimited(`Too many requests or events with this key; try again in ${seconds} s`, seconds);
}
