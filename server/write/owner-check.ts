import { forbidden } from "../errors.ts";
import type { Write } from "./write.ts";

/**
 * Checks that the caller is an owner: by the token, and then by the user's row, since the role may have changed after
 * the token was checked. It cannot change again before the commit: the organization is locked.
 * @throws forbidden for members who are not owners.
 */
export async function checkOwner({ scope, trx }: Write): Promise<void> {
  const [owner] = scope.role === "owner" ? await ownerRow(trx, scope) : [];
  if (!owner) throw forbidden("only owners of the organization may do this");
}

const ownerRow = (trx: Write["trx"], { organizationId, userId }: Write["scope"]) =>
  trx.query({
    name: "is-owner",
    text: `select 1 from "user" where "organizationId" = $1 and id = $2 and role = 'owner' and active`,
    values: [organizationId, userId],
  });
