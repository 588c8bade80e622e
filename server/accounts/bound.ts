import { conflict } from "../errors.ts";
import type { Queryable } from "./audit.ts";

/** How many of something there can be, which bounds lists of it and what it costs. */
interface Bound {
  most: number;
  /** How many there are: $1 is the organization, $2 the member. */
  count: string;
  /** Whose they are: the row that two who make one wait at. */
  holder: "organization" | "user";
  full: string;
}

/** Every such bound. */
export const BOUNDS = {
  personalKeys: {
    most: 200,
    count: `select count(*) from "apiKey" where "organizationId" = $1 and "userId" = $2`,
    holder: "user",
    full: "You have 200 keys, the most there can be; delete one.",
  },
  ingestKeys: {
    most: 500,
    count: `select count(*) from "ingestKey" where "organizationId" = $1`,
    holder: "organization",
    full: "There are 500 ingest keys, the most there can be; delete one.",
  },
  openInvitations: {
    most: 500,
    count: `select count(*) from invitation where "organizationId" = $1 and "acceptedAt" is null and "expiresAt" > now()`,
    holder: "organization",
    full: "There are 500 open invitations; withdraw one.",
  },
  /** Each writes a delivery for every change. */
  webhooks: {
    most: 100,
    count: `select count(*) from webhook where "organizationId" = $1`,
    holder: "organization",
    full: "There are 100 webhooks, the most there can be; delete one.",
  },
} as const satisfies Record<string, Bound>;

const LOCKS: Record<Bound["holder"], string> = {
  organization: "select 1 from organization where id = $1 for no key update",
  user: `select 1 from "user" where "organizationId" = $1 and id = $2 for no key update`,
};

/**
 * Makes sure that there is room for one more, and that nobody else takes it before this transaction ends.
 * @throws conflict `limit_reached`.
 */
export async function takeRoom(
  trx: Queryable,
  name: keyof typeof BOUNDS,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<void> {
  const { most, count, holder, full }: Bound = BOUNDS[name];
  const valuesOf = (text: string) => (text.includes("$2") ? [organizationId, userId] : [organizationId]);
  await trx.query({ text: LOCKS[holder], values: valuesOf(LOCKS[holder]) });
  // A statement of its own: it must see what the holder of the lock wrote before us.
  const [room] = await trx.query<{ left: boolean }>({
    text: `select (${count}) < ${most} as left`,
    values: valuesOf(count),
  });
  if (!room?.left) throw conflict(full, "limit_reached");
}
