import type { Knex } from "knex";
import { knex, toStatement } from "../../db/builder.ts";
import { conflict, notFound } from "../errors.ts";
import { entityLabel } from "../write/find.ts";
import { entityNamed, type Write } from "../write/write.ts";
import type { Queryable } from "./audit.ts";

/** The member who creates a row. */
interface Holder {
  organizationId: string;
  userId: string;
}

/** A maximum number of rows of one kind. It limits the length and the cost of their lists. */
interface Bound {
  most: number;
  /** Query for the existing rows. */
  taken(holder: Holder): Knex.QueryBuilder;
  /** Owner of the rows. Concurrent creations wait for a lock on the owner's row. */
  holder: "organization" | "user";
  full: string;
}

export const ROW_LIMITS = {
  personalKeys: {
    most: 200,
    taken: ({ organizationId, userId }) => knex("apiKey").where({ organizationId, userId }),
    holder: "user",
    full: "You have 200 keys, the most there can be; delete one.",
  },
  ingestKeys: {
    most: 500,
    taken: ({ organizationId }) => knex("ingestKey").where({ organizationId }),
    holder: "organization",
    full: "There are 500 ingest keys, the most there can be; delete one.",
  },
  agents: {
    most: 500,
    taken: ({ organizationId }) => knex("user").where({ organizationId, app: true, active: true }),
    holder: "organization",
    full: "There are 500 agents, the most there can be; delete one.",
  },
  connections: {
    most: 200,
    taken: ({ organizationId, userId }) => knex("oauthGrant").where({ organizationId, userId }),
    holder: "user",
    full: "You have connected 200 programs, the most there can be; end one on /settings.",
  },
  openInvitations: {
    most: 500,
    taken: ({ organizationId }) =>
      knex("invitation").where({ organizationId, acceptedAt: null }).where("expiresAt", ">", knex.fn.now()),
    holder: "organization",
    full: "There are 500 open invitations; withdraw one.",
  },
  /** Each webhook gets a delivery for every change. */
  webhooks: {
    most: 100,
    taken: ({ organizationId }) => knex("webhook").where({ organizationId }),
    holder: "organization",
    full: "There are 100 webhooks, the most there can be; delete one.",
  },
  /** Each rule is compared with every change and with every changed session. */
  noticeRules: {
    most: 100,
    taken: ({ organizationId }) => knex("noticeRule").where({ organizationId }),
    holder: "organization",
    full: "There are 100 notice rules, the most there can be; delete one.",
  },
} as const satisfies Record<string, Bound>;

/**
 * Rows to lock. For an organization, the lock is on its change counter, like the lock of its writers: the counter is
 * deleted with the organization and is stored on the organization's node.
 */
const ROWS: Record<Bound["holder"], (holder: Holder) => Knex.QueryBuilder> = {
  organization: ({ organizationId }) => knex("sync").where({ organizationId }),
  user: ({ organizationId, userId }) => knex("user").where({ organizationId, id: userId, active: true }),
};

/**
 * Checks that another row is allowed, and prevents concurrent creations until the end of the transaction.
 * @throws conflict `limit_reached`; notFound if the holder was removed in the meantime.
 */
export async function reserveRow(trx: Queryable, name: keyof typeof ROW_LIMITS, by: Holder): Promise<void> {
  const { most, taken, holder, full }: Bound = ROW_LIMITS[name];
  const held = await trx.query(toStatement(ROWS[holder](by).select("organizationId").forNoKeyUpdate()));
  if (held.length === 0) throw notFound(holder, holder === "user" ? by.userId : by.organizationId);
  // A separate statement, so that it sees the rows of the previous lock holder.
  const [room] = await trx.query<{ taken: number }>(toStatement(taken(by).count("* as taken")));
  if (!room || room.taken >= most) throw conflict(full, "limit_reached");
}

/**
 * Checks that an organization has fewer rows of an entity than the maximum. The mutation holds the organization's
 * lock.
 * @throws conflict `limit_reached`
 */
export async function checkEntityLimit(write: Write, entity: string, most: number): Promise<void> {
  const { table } = entityNamed(write, entity);
  const { organizationId } = write.scope;
  const left = most - write.operations.filter((each) => each.kind === "insert" && each.table === table).length;
  const full = `There are ${most} rows of type ${entityLabel(entity)}, the most there can be; delete one.`;
  await checkRowLimit(write, { table, rows: knex(table).where({ organizationId }), most: left, full });
}

/**
 * Checks that a query returns fewer rows than the maximum. The mutation holds the organization's lock.
 * @throws conflict `limit_reached`
 */
export async function checkRowLimit(
  { trx }: Pick<Write, "trx">,
  { table, rows, most, full }: { table: string; rows: Knex.QueryBuilder; most: number; full: string },
): Promise<void> {
  const last = rows
    .limit(1)
    .offset(Math.max(0, most - 1))
    .select("organizationId");
  if (most > 0 && (await trx.query(toStatement(last, { reads: [table] }))).length === 0) return;
  throw conflict(full, "limit_reached");
}
