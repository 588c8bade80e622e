import { compiled, knex } from "../../db/builder.ts";
import { forbidden } from "../errors.ts";
import type { Write } from "./write.ts";

/**
 * Asks for an owner. The token says who was one when it was checked; the row, read while the organization's other
 * writers wait, says who is.
 * @throws forbidden for members who are not owners.
 */
export async function checkRight({ scope, trx }: Write): Promise<void> {
  const [owner] = scope.role === "owner" ? await ownerRow(trx, scope) : [];
  if (!owner) throw forbidden("only owners of the organization may do this");
}

const ownerRow = (trx: Write["trx"], { organizationId, userId }: Write["scope"]) =>
  trx.query(readOwner({ organizationId, id: userId }));

const readOwner = compiled("is-owner", ["organizationId", "id"], (user) =>
  knex("user")
    .where({ ...user, role: "owner", active: true })
    .select("id"),
);
