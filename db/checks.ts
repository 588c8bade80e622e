/**
 * Conditions that an SQL statement checks itself, because a separate query would cost a round trip. Each condition has
 * an SQLSTATE for its failure, from a class that PostgreSQL does not use, and a message.
 */
const CHECKS = {
  cacheIsCurrent: ["TW001", "what was cached of the organization is out of date"],
  keysAreThere: ["TW002", "a key that events came with was revoked"],
  nothingDeleted: ["TW004", "something that arrived belongs to a deleted session"],
  answerFits: ["TW003", "the answer is too long"],
} as const;

type Check = keyof typeof CHECKS;

/**
 * Returns an SQL expression for a check. The expression is true if the SQL condition `holds` is true. Otherwise the
 * expression makes the statement fail with the check's SQLSTATE.
 */
export function buildCheckSql(check: Check, holds: string): string {
  const [code, problem] = CHECKS[check];
  return `check_holds(${holds}, '${code}', '${problem}')`;
}

/** Returns true if a statement failed because this condition did not hold. */
export const hasFailedCheck = (check: Check, error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === CHECKS[check][0];

/**
 * SQL that creates the function `check_holds`. The function is declared immutable, so that Citus runs statements with
 * the function on one node.
 */
export const CHECK_FUNCTION_SQL = `
  create or replace function check_holds(holds boolean, code text, problem text) returns boolean
  language plpgsql immutable parallel safe as $$
  begin
    if holds then return true; end if;
    raise exception using errcode = code, message = problem;
  end $$`;
