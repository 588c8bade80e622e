import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { completePasswordReset, findPasswordResetLink, lockOutAccount } from "../accounts/login/reset.ts";
import type { Account } from "../accounts/login/sign-up.ts";
import type { TokenPair } from "../accounts/login/tokens.ts";
import { removeMemberEvenIfLastOwner } from "../accounts/members/member.ts";
import { toNetworkKey } from "../accounts/throttle.ts";
import { invalidateCredentialCache } from "../auth/credential-cache.ts";
import { hashPassword } from "../auth/password.ts";
import { entityModel } from "../resources/index.ts";
import { endLeasesOfUser } from "../resources/lease/expire.ts";
import type { Runtime } from "../runtime.ts";
import { createSystemScope } from "../scope.ts";
import { findRow } from "../write/find.ts";
import { runMutationTransaction } from "../write/mutate.ts";

/** The new password, and the reset link that identifies the account. */
interface NewPassword {
  token: string;
  password: string;
  /** True if the holder of the address states that they created the account. */
  keepAccess?: boolean | undefined;
  address: string;
}

/**
 * Sets a new password with an emailed link. The first link of an account proves that the caller owns the address. Until
 * then a stranger may have held the account, so the account's keys, connected apps and memberships are removed, unless
 * `keepAccess` is true. The removal happens before the link is used up: if the server stops halfway, the link still
 * works and finishes the job.
 * @throws authenticationError for an unknown, used or expired link; rateLimited
 */
export async function setPasswordWithResetLink(
  runtime: Runtime,
  { token, password, keepAccess = false, address }: NewPassword,
): Promise<TokenPair & { user: Account }> {
  const reset = await findPasswordResetLink(runtime, token, address);
  const passwordHash = await hashPassword(password, toNetworkKey(address));
  if (!reset.proved && !keepAccess) {
    await lockOutAccount(runtime.db, reset, passwordHash);
    await endMemberships(runtime, reset.accountId);
  }
  return completePasswordReset(runtime, reset, passwordHash);
}

/**
 * Ends every membership of an account, with its keys, connected apps and leases. The membership ends even if the
 * account is the only owner of an organization.
 */
async function endMemberships(runtime: Runtime, accountId: string): Promise<void> {
  for (const organizationId of await organizationsOf(runtime.db, accountId)) {
    await runMutationTransaction(createSystemScope(runtime, organizationId), entityModel, async (write) => {
      write.direct = true;
      const member = await findRow(write, "User", accountId);
      if (!member?.active) return {};
      await removeMemberEvenIfLastOwner(write, member);
      await endLeasesOfUser(write, member.id);
      return {};
    });
  }
  invalidateCredentialCache(runtime.db);
}

const organizationsOf = async (db: Database, accountId: string): Promise<string[]> => {
  const memberships = knex("user as u")
    .join("organization as o", "o.id", "u.organizationId")
    .where({ "u.accountId": accountId, "u.active": true, "o.deletedAt": null });
  const rows = await db.query<{ id: string }>(toStatement(memberships.select("o.id")));
  return rows.map(({ id }) => id);
};
