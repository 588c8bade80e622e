import { z } from "zod";
import { inputError } from "../../errors.ts";
import { reference, sessionReference } from "../fields.ts";

const MIN_SECONDS = 60;
const MAX_SECONDS = 86_400;
/** How long a lease holds without a sign of its holder. */
const DEFAULT_SECONDS = 30 * 60;

const words = `must be a whole number from ${MIN_SECONDS} to ${MAX_SECONDS}`;
const ttlSeconds = z.number().int(words).min(MIN_SECONDS, words).max(MAX_SECONDS, words);

/** What a claim takes. */
export const IssueClaimInput = z.strictObject({
  id: reference.nullish(),
  filter: z.record(z.string(), z.unknown()).nullish(),
  ttlSeconds: ttlSeconds.nullish().transform((seconds) => seconds ?? DEFAULT_SECONDS),
  sessionId: sessionReference.nullish(),
});
export type IssueClaim = z.infer<typeof IssueClaimInput>;

/** Checks a lease's length where it is an argument. @throws inputError */
export function checkSeconds(seconds: number | null | undefined): number | undefined {
  if (seconds === null || seconds === undefined) return undefined;
  if (!ttlSeconds.safeParse(seconds).success) throw inputError(`ttlSeconds ${words}`, "ttlSeconds");
  return seconds;
}
