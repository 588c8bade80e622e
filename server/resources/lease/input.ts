import { z } from "zod";
import { invalidInput } from "../../errors.ts";
import { CommentCreateInput } from "../comment/input.ts";
import { reference, sessionReference } from "../fields.ts";

const MIN_SECONDS = 60;
const MAX_SECONDS = 86_400;
/** Default lifetime of a lease in seconds without activity of the holder. */
const DEFAULT_SECONDS = 30 * 60;

const words = `must be a whole number from ${MIN_SECONDS} to ${MAX_SECONDS}`;
const ttlSeconds = z.number().int(words).min(MIN_SECONDS, words).max(MAX_SECONDS, words);

const within = (least: number, most: number) => {
  const range = `must be a whole number from ${least} to ${most}`;
  return z.number().int(range).min(least, range).max(most, range);
};
const dollars = "must be more than 0 and at most 1000000";

/** Limits of a claim, with their ranges. */
export const LIMITS = {
  costLimit: z.number().gt(0, dollars).max(1_000_000, dollars),
  tokenLimit: within(1, 1_000_000_000_000),
  minuteLimit: within(1, 525_600),
  equalCallLimit: within(2, 50),
};

export const IssueClaimInput = z.strictObject({
  id: reference.nullish(),
  filter: z.record(z.string(), z.unknown()).nullish(),
  ttlSeconds: ttlSeconds.nullish().transform((seconds) => seconds ?? DEFAULT_SECONDS),
  sessionId: sessionReference.nullish(),
  fence: z.number().int().nullish(),
  costLimit: LIMITS.costLimit.nullish(),
  tokenLimit: LIMITS.tokenLimit.nullish(),
  minuteLimit: LIMITS.minuteLimit.nullish(),
  equalCallLimit: LIMITS.equalCallLimit.nullish(),
});
export type IssueClaim = z.infer<typeof IssueClaimInput>;

/** Validates the lifetime of a lease as an argument. @throws invalidInput */
export const checkSeconds = (seconds: number | null | undefined): number | undefined =>
  seconds === null || seconds === undefined ? undefined : checked("ttlSeconds", ttlSeconds, seconds);

/** Validates the session of a lease as an argument. @throws invalidInput */
export const checkSession = (sessionId: string): string => checked("sessionId", sessionReference, sessionId);

/** Validates the comment of another mutation. Returns undefined for an empty comment. @throws invalidInput */
export const checkComment = (comment: string | null | undefined): string | undefined =>
  comment?.trim() ? checked("comment", CommentCreateInput.shape.body, comment) : undefined;

function checked<Value>(path: string, schema: z.ZodType<Value>, value: unknown): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidInput(result.error.issues.map(({ message }) => ({ path, message })));
}
