import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { completeReset, findReset, lockOut } from "../accounts/login/reset.ts";
import type { Account } from "../accounts/login/sign-up.ts";
import type { TokenPair } from "../accounts/login/tokens.ts";
import { removeActive } from "../accounts/members/member.ts";
import { network } from "../accounts/throttle.ts";
import { credentialsRevoked } from "../auth/credential-cache.ts";
import { hashPassword } from "../auth/password.ts";
import { model } from "../resources/index.ts";
import { endLeasesOf } from "../resources/lease/expire.ts";
import type { Runtime } from "../runtime.ts";
import { systemScope } from "../scope.ts";
import { find } from "../write/find.ts";
import { mutate } from "../write/mutate.ts";

/** A new password for the account of a link. */
interface NewPassword {
  token: string;
  password: string;
  /** True when the holder of the address says that they created the account. */
  keepAccess?: boolean | undefined;
  address: string;
}

/**
 * Sets a new password by a link that came by email. The first link of an account proves its address: whoever held the
 * account until then may be a stranger, who loses it with its keys, connected apps and memberships, unless `keepAccess`.
 * They lose it before the link is spent, so that a server that stops halfway leaves a link that finishes the work.
 * @throws authenticationError for a link that is unknown, used, or past its hour; rateLimited
 */
export async function chooseNewPassword(
  runtime: Runtime,
  { token, password, keepAccess = false, address }: NewPassword,
): Promise<TokenPair & { user: Account }> {
  const reset = await findReset(runtime, token, address);
  const passwordHash = await hashPassword(password, network(address));
  if (!reset.proved && !keepAccess) {
    await lockOut(runtime.db, reset, passwordHash);
    await endMemberships(runtime, reset.accountId);
  }
  return completeReset(runtime, reset, passwordHash);
}

/** Ends every membership of an account, with its keys, connected apps and leases. An only owner leaves, too. */
async function endMemberships(runtime: Runtime, accountId: string): Promise<void> {
  for (const organizationId of await organizationsOf(runtime.db, accountId)) {
    await mutate(systemScope(runtime, organizationId), model, async (write) => {
      write.direct = true;
      const member = await find(write, "User", accountId);
      if (!member?.active) return {};
      await removeActive(write, member);
      await endLeasesOf(write, member.id);
      return {};
    });
  }
  credentialsRevoked(runtime.db);
}

const organizationsOf = async (db: Database, accountId: string): Promise<string[]> => {
  const memberships = knex("user as u")
    .join("organization as o", "o.id", "u.organizationId")
    .where({ "u.accountId": accountId, "u.active": true, "o.deletedAt": null });
  const rows = await db.query<{ id: string }>(toStatement(memberships.select("o.id")));
  return rows.map(({ id }) => id);
};
