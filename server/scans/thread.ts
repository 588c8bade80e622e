import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { createRedactor, type RedactionOptions, type Redactor } from "../../redaction/index.ts";

/** Rules from which a thread creates the redactor. */
export interface ScanRules {
  secret: Uint8Array;
  organizationId: string;
  options: RedactionOptions;
}

/** Text, and its name if the text is a member of an object. */
export interface ScanInput {
  text: string;
  name?: string | undefined;
}

/** Redacted text, and the steps of the scan. */
export interface ScanResult {
  text: string;
  steps: number;
}

/** Message to a thread: a text to scan, with the rules. */
export interface ScanRequest {
  id: number;
  rules: ScanRules;
  asked: ScanInput;
}

/** Message from a thread: ready, or a scanned text. */
export type ScanThreadMessage = "ready" | { id: number; scanned: ScanResult };

let last: { key: string; redactor: Redactor } | undefined;

/**
 * Returns the redactor for rules. Consecutive orders usually belong to one organization, so the last redactor is
 * cached.
 */
function redactorOf({ secret, organizationId, options }: ScanRules): Redactor {
  const key = JSON.stringify([organizationId, options]);
  if (last?.key !== key) last = { key, redactor: createRedactor(secret, organizationId, options) };
  return last.redactor;
}

function scan(redactor: Redactor, { text, name }: ScanInput): ScanResult {
  const before = redactor.steps;
  const redacted = name === undefined ? redactor.text(text) : redactor.member(name, text);
  return { text: redacted, steps: redactor.steps - before };
}

/**
 * Priority of a scanning thread, from -20 (first) to 19. A scan yields the processor to the threads that respond to
 * requests.
 */
const NICE = 10;
// On Linux, `setPriority` affects only this thread. On other systems, the call would change the priority of the whole
// process.
if (process.platform === "linux") setPriority(0, NICE);

parentPort?.on("message", ({ id, rules, asked }: ScanRequest) => {
  parentPort?.postMessage({ id, scanned: scan(redactorOf(rules), asked) } satisfies ScanThreadMessage);
});
parentPort?.postMessage("ready" satisfies ScanThreadMessage);
