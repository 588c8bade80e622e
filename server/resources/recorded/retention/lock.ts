/**
 * The number under which the commits of one organization share an advisory lock, and which its retention takes alone:
 * so a session is never removed between the commit that counts on it and that commit's end.
 */
export const lockOf = (organizationId: string): bigint =>
  BigInt.asIntN(64, BigInt(`0x${organizationId.replaceAll("-", "").slice(16)}`));
