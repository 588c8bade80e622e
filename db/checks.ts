/**
 * Conditions that a statement may rely on, where asking first would cost a round trip: the SQLSTATE that it fails with
 * where one does not hold, of a class that PostgreSQL leaves free, and the words.
 */
const CHECKS = {
  cacheIsCurrent: ["TW001", "what was cached of the organization is out of date"],
  keysAreThere: ["TW002", "a key that events came with was revoked"],
  nothingDeleted: ["TW004", "something that arrived belongs to a deleted session"],
  answerFits: ["TW003", "the answer is too long"],
} as const;

type Check = keyof typeof CHECKS;

/** SQL that is true where the condition `holds`, and fails the statement where it does not. */
export function checkSql(check: Check, holds: string): string {
  const [code, problem] = CHECKS[check];
  return `check_holds(${holds}, '${code}', '${problem}')`;
}

/** Tells whether a statement failed because this condition did not hold. */
export const hasFailed = (check: Check, error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === CHECKS[check][0];

/** SQL that makes the function. It is immutable, so that Citus runs statements with it on one node. */
export const CHECK_FUNCTION = `
  create or replace function check_holds(holds boolean, code text, problem text) returns boolean
  language plpgsql immutable parallel safe as $$
  begin
    if holds then return true; end if;
    raise exception using errcode = code, message = problem;
  end $$`;
