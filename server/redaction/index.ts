import { createHmac } from "node:crypto";
import { memberKind } from "./assignment.ts";
import { findSecrets } from "./find.ts";

export { findSecrets, mayHold } from "./find.ts";

/** The number of secrets that were taken out, by kind. */
export type Counts = Record<string, number>;

/** Takes the secrets out of the texts of one organization, and counts them. */
export interface Redactor {
  /** The text with a mark in the place of each secret. */
  text(text: string): string;
  /** The text of a member of an object, of which its name may tell what it is. */
  member(name: string, text: string): string;
  /** The mark that stands for a whole value. */
  mark(kind: string, value: string): string;
  /** All that was taken out since `taken` was last asked; undefined for nothing. */
  taken(): Counts | undefined;
}

/** Makes the redactors of organizations. Marks carry a hint, keyed by the server's secret and the organization. */
export function redactorFor(secret: Uint8Array, organizationId: string): Redactor {
  let key: Buffer | undefined;
  let counts: Counts | undefined;
  const mark = (kind: string, value: string) => {
    key ??= createHmac("sha256", secret).update(`redaction of ${organizationId}`).digest();
    counts ??= {};
    counts[kind] = (counts[kind] ?? 0) + 1;
    return `[redacted:${kind}:${createHmac("sha256", key).update(value).digest("hex").slice(0, HINT)}]`;
  };
  const text = (whole: string) => {
    const { found } = findSecrets(whole);
    if (found.length === 0) return whole;
    const pieces: string[] = [];
    let from = 0;
    for (const { start, end, kind } of found) {
      pieces.push(whole.slice(from, start), mark(kind, whole.slice(start, end)));
      from = end;
    }
    return pieces.join("") + whole.slice(from);
  };
  return {
    text,
    mark,
    member(name, value) {
      if (isMark(value)) return value;
      const redacted = text(value);
      const kind = redacted === value ? memberKind(name, value) : undefined;
      return kind === undefined ? redacted : mark(kind, value);
    },
    taken() {
      const since = counts;
      counts = undefined;
      return since;
    },
  };
}

/** Hexadecimal digits of a hint: enough to follow one secret through a session, too few to prove equality. */
const HINT = 4;

/** Reports whether a value is a mark already. */
export const isMark = (value: string): boolean => /^\[redacted:[a-z0-9-]+:[0-9a-f]{4}\]$/.test(value);
