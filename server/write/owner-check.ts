import { compiled, knex } from "../../db/builder.ts";
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
  trx.query(readOwner({ organizationId, id: userId }));

const readOwner = compiled(
  "is-owner",
  ["organizationId", "id"],
  (user) =>
    knex("user")
      .where({ ...user, role: "owner", active: true })
      .select("id"),
  { reads: ["user"] },
);
