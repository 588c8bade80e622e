import { parentPort } from "node:worker_threads";
import { type RedactionOptions, type Redactor, redactorFor } from "../../redaction/index.ts";

/** Whose rules apply: a thread makes the redactor from them. */
export interface Rules {
  secret: Uint8Array;
  organizationId: string;
  options: RedactionOptions;
}

/** A text, and its name where it is the member of an object. */
export interface Asked {
  text: string;
  name?: string | undefined;
}

/** A text without its secrets, and the steps that the scan took. */
export interface Scanned {
  text: string;
  steps: number;
}

/** The messages to a thread: texts to scan by some rules. */
export interface Order {
  id: number;
  rules: Rules;
  asked: Asked;
}

/** The messages from a thread: that it is ready, or a text that it scanned. */
export type Report = "ready" | { id: number; scanned: Scanned };

let last: { key: string; redactor: Redactor } | undefined;

/** The redactor of some rules. Orders of one organization mostly follow one another. */
function redactorOf({ secret, organizationId, options }: Rules): Redactor {
  const key = JSON.stringify([organizationId, options]);
  if (last?.key !== key) last = { key, redactor: redactorFor(secret, organizationId, options) };
  return last.redactor;
}

/** Scans one text. */
function scan(redactor: Redactor, { text, name }: Asked): Scanned {
  const before = redactor.steps;
  const redacted = name === undefined ? redactor.text(text) : redactor.member(name, text);
  return { text: redacted, steps: redactor.steps - before };
}

parentPort?.on("message", ({ id, rules, asked }: Order) => {
  parentPort?.postMessage({ id, scanned: scan(redactorOf(rules), asked) } satisfies Report);
});
parentPort?.postMessage("ready" satisfies Report);
