import type { Knex } from "knex";
import { knex, toStatement } from "../../db/builder.ts";
import { conflict, notFound } from "../errors.ts";
import { label } from "../write/find.ts";
import { entityNamed, type Write } from "../write/write.ts";
import type { Queryable } from "./audit.ts";

/** A member who makes one more. */
interface Holder {
  organizationId: string;
  userId: string;
}

/** A limit on the number of rows of a kind. It bounds lists of them and their cost. */
interface Bound {
  most: number;
  /** The rows that there are. */
  taken(holder: Holder): Knex.QueryBuilder;
  /** Whose they are: the row that two who make one wait at. */
  holder: "organization" | "user";
  full: string;
}

/** Every such bound. */
export const BOUNDS = {
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
  /** Each writes a delivery for every change. */
  webhooks: {
    most: 100,
    taken: ({ organizationId }) => knex("webhook").where({ organizationId }),
    holder: "organization",
    full: "There are 100 webhooks, the most there can be; delete one.",
  },
  /** Each is compared with every change and every session that something comes of. */
  noticeRules: {
    most: 100,
    taken: ({ organizationId }) => knex("noticeRule").where({ organizationId }),
    holder: "organization",
    full: "There are 100 notice rules, the most there can be; delete one.",
  },
} as const satisfies Record<string, Bound>;

/** An organization is held by its counter, as its writers do: it goes when the organization is deleted, and lies on its node. */
const ROWS: Record<Bound["holder"], (holder: Holder) => Knex.QueryBuilder> = {
  organization: ({ organizationId }) => knex("sync").where({ organizationId }),
  user: ({ organizationId, userId }) => knex("user").where({ organizationId, id: userId, active: true }),
};

/**
 * Makes sure that there is room for one more, and that nobody else takes it before this transaction ends.
 * @throws conflict `limit_reached`; notFound when the holder was removed meanwhile.
 */
export async function takeRoom(trx: Queryable, name: keyof typeof BOUNDS, by: Holder): Promise<void> {
  const { most, taken, holder, full }: Bound = BOUNDS[name];
  const held = await trx.query(toStatement(ROWS[holder](by).select("organizationId").forNoKeyUpdate()));
  if (held.length === 0) throw notFound(holder, holder === "user" ? by.userId : by.organizationId);
  // A statement of its own: it must see what the holder of the lock wrote before us.
  const [room] = await trx.query<{ taken: number }>(toStatement(taken(by).count("* as taken")));
  if (!room || room.taken >= most) throw conflict(full, "limit_reached");
}

/**
 * Makes sure that an organization, which a mutation holds, has fewer rows of an entity than there can be.
 * @throws conflict `limit_reached`
 */
export async function checkRoom(write: Write, entity: string, most: number): Promise<void> {
  const { table } = entityNamed(write, entity);
  const { organizationId } = write.scope;
  const left = most - write.operations.filter((each) => each.kind === "insert" && each.table === table).length;
  const full = `There are ${most} rows of type ${label(entity)}, the most there can be; delete one.`;
  await checkRows(write, { table, rows: knex(table).where({ organizationId }), most: left, full });
}

/**
 * Makes sure that there are fewer rows than there can be, of an organization which a mutation holds.
 * @throws conflict `limit_reached`
 */
export async function checkRows(
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
