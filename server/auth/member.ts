import { compiled, knex } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import type { Principal } from "./principal.ts";

/** A member, apart from the credential that named them. */
type Member = Pick<Principal, "accountId"> & { role: "owner" | "member"; app: boolean };

/**
 * The member that a credential names, or undefined when they were removed. A statement of its own, not a join with the
 * table of credentials: where an organization's rows lie on a node of their own, this one asks that node alone.
 */
export async function memberOf(
  db: Pick<Database, "query">,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<Member | undefined> {
  const [member] = await db.query<Member>(activeMember({ organizationId, userId }), undefined, {
    queueClass: "short",
    tenant: organizationId,
  });
  return member;
}

const activeMember = compiled("principal-by-member", ["organizationId", "userId"], ({ organizationId, userId }) =>
  knex("user").where({ organizationId, id: userId, active: true }).select("accountId", "role", "app"),
);
