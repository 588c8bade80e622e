import { z } from "zod";
import { invalidFieldsError } from "../../errors.ts";
import { CommentCreateInput } from "../comment/input.ts";
import { referenceSchema, sessionReferenceSchema } from "../fields.ts";

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
export const CLAIM_LIMIT_SCHEMAS = {
  costLimit: z.number().gt(0, dollars).max(1_000_000, dollars),
  tokenLimit: within(1, 1_000_000_000_000),
  minuteLimit: within(1, 525_600),
  equalCallLimit: within(2, 50),
};

export const IssueClaimInput = z.strictObject({
  id: referenceSchema.nullish(),
  filter: z.record(z.string(), z.unknown()).nullish(),
  ttlSeconds: ttlSeconds.nullish().transform((seconds) => seconds ?? DEFAULT_SECONDS),
  sessionId: sessionReferenceSchema.nullish(),
  fence: z.number().int().nullish(),
  costLimit: CLAIM_LIMIT_SCHEMAS.costLimit.nullish(),
  tokenLimit: CLAIM_LIMIT_SCHEMAS.tokenLimit.nullish(),
  minuteLimit: CLAIM_LIMIT_SCHEMAS.minuteLimit.nullish(),
  equalCallLimit: CLAIM_LIMIT_SCHEMAS.equalCallLimit.nullish(),
});
export type IssueClaim = z.infer<typeof IssueClaimInput>;

/** Validates the lifetime of a lease as an argument. @throws invalidFieldsError */
export const validateTtlSeconds = (seconds: number | null | undefined): number | undefined =>
  seconds === null || seconds === undefined ? undefined : checked("ttlSeconds", ttlSeconds, seconds);

/** Validates the session of a lease as an argument. @throws invalidFieldsError */
export const validateSessionReference = (sessionId: string): string =>
  checked("sessionId", sessionReferenceSchema, sessionId);

/** Validates the comment of another mutation. Returns undefined for an empty comment. @throws invalidFieldsError */
export const validateComment = (comment: string | null | undefined): string | undefined =>
  comment?.trim() ? checked("comment", CommentCreateInput.shape.body, comment) : undefined;

function checked<Value>(path: string, schema: z.ZodType<Value>, value: unknown): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidFieldsError(result.error.issues.map(({ message }) => ({ path, message })));
}
