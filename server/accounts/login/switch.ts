import type { Principal } from "../../auth/principal.ts";
import type { Runtime } from "../../runtime.ts";
import { chooseOrganization } from "../members/membership.ts";
import { addRefreshToken, type TokenPair, tokenPair } from "./tokens.ts";

/**
 * A new pair, within the same login, for another organization of the account. The pair in hand stays good.
 * @throws notFound when the account belongs to no such organization.
 */
export async function switchOrganization(
  { db, secret }: Runtime,
  { accountId, credentialId: loginId }: Principal,
  organization: string,
): Promise<TokenPair> {
  const grant = await db.transaction(async (trx) => {
    const organizationId = await chooseOrganization(trx, { accountId, organization });
    return addRefreshToken(trx, { accountId, loginId, organizationId });
  });
  return tokenPair(secret, grant);
}
