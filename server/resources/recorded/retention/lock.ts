/**
 * Returns the number of an organization's advisory lock. Commits of ingestion share the lock, and retention takes the
 * lock exclusively, so that a session is never removed while a commit relies on the session.
 */
export const organizationLockKey = (organizationId: string): bigint =>
  BigInt.asIntN(64, BigInt(`0x${organizationId.replaceAll("-", "").slice(16)}`));
