import { forbidden } from "../errors.ts";
import type { Write } from "./write.ts";

/**
 * Asks for an owner. The token says who was one when it was checked; the row, read while the organization's other
 * writers wait, says who is.
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
