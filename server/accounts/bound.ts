import type { Knex } from "knex";
import { knex, toStatement } from "../../db/builder.ts";
import { conflict, notFound } from "../errors.ts";
import { formatEntityName } from "../write/find.ts";
import { getEntityByName, type WriteContext } from "../write/write.ts";
import type { Queryable } from "./audit.ts";

/** The member who creates a row. */
interface Holder {
  organizationId: string;
  userId: string;
}

/** Maximum number of rows of one kind. The maximum limits the length and the cost of lists of these rows. */
interface Bound {
  most: number;
  /** Query for the existing rows. */
  taken(holder: Holder): Knex.QueryBuilder;
  /** Entity to which the rows belong. A lock on this entity makes concurrent creations wait for each other. */
  holder: "organization" | "user";
  full: string;
}

export const ROW_LIMITS = {
  personalKeys: {
    most: 200,
    taken: ({ organizationId, userId }) => knex("apiKey").where({ organizationId, userId }),
    holder: "user",
    full: "You have 200 keys, which is the maximum; delete one to create another.",
  },
  ingestKeys: {
    most: 500,
    taken: ({ organizationId }) => knex("ingestKey").where({ organizationId }),
    holder: "organization",
    full: "There are 500 ingest keys, which is the maximum; delete one to create another.",
  },
  agents: {
    most: 500,
    taken: ({ organizationId }) => knex("user").where({ organizationId, app: true, active: true }),
    holder: "organization",
    full: "There are 500 agents, which is the maximum; delete one to create another.",
  },
  connections: {
    most: 200,
    taken: ({ organizationId, userId }) => knex("oauthGrant").where({ organizationId, userId }),
    holder: "user",
    full: "You have 200 connected apps, which is the maximum; disconnect one on /settings to connect another.",
  },
  openInvitations: {
    most: 500,
    taken: ({ organizationId }) =>
      knex("invitation").where({ organizationId, acceptedAt: null }).where("expiresAt", ">", knex.fn.now()),
    holder: "organization",
    full: "There are 500 open invitations (the maximum); withdraw one.",
  },
  /** The maximum exists because a change creates a delivery for each webhook that receives changes of its type. */
  webhooks: {
    most: 100,
    taken: ({ organizationId }) => knex("webhook").where({ organizationId }),
    holder: "organization",
    full: "There are 100 webhooks, which is the maximum; delete one to create another.",
  },
  /** The maximum exists because every change and every changed session is compared with each rule. */
  noticeRules: {
    most: 100,
    taken: ({ organizationId }) => knex("noticeRule").where({ organizationId }),
    holder: "organization",
    full: "There are 100 notice rules, which is the maximum; delete one to create another.",
  },
} as const satisfies Record<string, Bound>;

/**
 * Row to lock for each type of holder. For an organization, the row is the change counter, as for the lock of the
 * organization's writers. The reason: the counter is deleted with the organization and is stored on the organization's
 * node.
 */
const ROWS: Record<Bound["holder"], (holder: Holder) => Knex.QueryBuilder> = {
  organization: ({ organizationId }) => knex("sync").where({ organizationId }),
  user: ({ organizationId, userId }) => knex("user").where({ organizationId, id: userId, active: true }),
};

/**
 * Checks that the holder may create another row. Concurrent creations wait until the transaction ends.
 * @throws conflict `limit_reached`; notFound if the holder was removed in the meantime.
 */
export async function lockAndCheckRowLimit(trx: Queryable, name: keyof typeof ROW_LIMITS, by: Holder): Promise<void> {
  const { most, taken, holder, full }: Bound = ROW_LIMITS[name];
  const held = await trx.query(toStatement(ROWS[holder](by).select("organizationId").forNoKeyUpdate()));
  if (held.length === 0) throw notFound(holder, holder === "user" ? by.userId : by.organizationId);
  // The count is a separate statement after the lock, so that it includes the rows that the previous lock holder
  // created.
  const [room] = await trx.query<{ taken: number }>(toStatement(taken(by).count("* as taken")));
  if (!room || room.taken >= most) throw conflict(full, "limit_reached");
}

/**
 * Checks that an organization has fewer rows of an entity than the maximum. No lock is needed, because the mutation
 * already holds the organization's lock.
 * @throws conflict `limit_reached`
 */
export async function checkEntityLimit(write: WriteContext, entity: string, most: number): Promise<void> {
  const { table } = getEntityByName(write, entity);
  const { organizationId } = write.scope;
  const left = most - write.operations.filter((each) => each.kind === "insert" && each.table === table).length;
  const full = `There are ${most} rows of type ${formatEntityName(entity)}, which is the maximum; delete one to create another.`;
  await checkRowLimit(write, { table, rows: knex(table).where({ organizationId }), most: left, full });
}

/**
 * Checks that a query returns fewer rows than the maximum. No lock is needed, because the mutation already holds the
 * organization's lock.
 * @throws conflict `limit_reached`
 */
export async function checkRowLimit(
  { trx }: Pick<WriteContext, "trx">,
  { table, rows, most, full }: { table: string; rows: Knex.QueryBuilder; most: number; full: string },
): Promise<void> {
  const last = rows
    .limit(1)
    .offset(Math.max(0, most - 1))
    .select("organizationId");
  if (most > 0 && (await trx.query(toStatement(last, { reads: [table] }))).length === 0) return;
  throw conflict(full, "limit_reached");
}
