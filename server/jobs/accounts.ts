import type { Knex } from "knex";
import { knex, toStatement } from "../../db/builder.ts";
import { Attempts, affectsAll, sumSteps, sumTogether } from "../../db/errors/parts.ts";
import type { Database } from "../../db/open.ts";
import { DAY_MS } from "../../formats/time.ts";
import { REFRESH_MS } from "../accounts/login/tokens.ts";
import { NO_ID } from "../id.ts";
import { eachOrganization } from "./organizations.ts";

/** Rows that one statement removes: short enough to hold nobody up. */
const SLICE = 1_000;

/** Rows that are removed, and the time for which they are kept after they ceased to count. */
interface Spent {
  table: string;
  key: string;
  keptMs: number;
  /** The rows of one organization. */
  only?: { organizationId: string };
  /** Narrows the rows of the table to those that ceased to count before a moment. */
  where(rows: Knex.QueryBuilder, before: Date): void;
}

const expired: Spent["where"] = (rows, before) => rows.where("expiresAt", "<", before);

const SPENT: Spent[] = [
  { table: "throttle", key: "key", keptMs: 0, where: (rows, before) => rows.where("until", "<", before) },
  // A token past its 30 days is refused like one that never was.
  {
    table: "refreshToken",
    key: "hash",
    keptMs: 30 * DAY_MS,
    where: (rows, before) => rows.where("createdAt", "<", before),
  },
  {
    table: "refreshToken",
    key: "hash",
    keptMs: DAY_MS,
    where: (rows, before) => rows.whereIn("loginId", ended(knex("login"), before).limit(SLICE).select("id")),
  },
  {
    table: "login",
    key: "id",
    keptMs: DAY_MS,
    where: (rows, before) =>
      ended(rows, before).whereRaw(`not exists (select from "refreshToken" t where t."loginId" = login.id)`),
  },
  { table: "invitation", key: "hash", keptMs: 30 * DAY_MS, where: expired },
  // Its holder sees for a month that it ended.
  { table: "apiKey", key: "hash", keptMs: 30 * DAY_MS, where: expired },
  { table: "welcome", key: "hash", keptMs: 0, where: expired },
  { table: "passwordReset", key: "hash", keptMs: 0, where: expired },
  // A code that was used and comes again ends what it led to: for a day that is still seen.
  { table: "oauthCode", key: "hash", keptMs: DAY_MS, where: expired },
  { table: "oauthToken", key: "hash", keptMs: DAY_MS, where: expired },
  // Registered by anyone, and never allowed by a person.
  {
    table: "oauthClient",
    key: "id",
    keptMs: DAY_MS,
    where: (rows, before) => rows.where("createdAt", "<", before).whereNull("usedAt"),
  },
];

/** Nothing of it is good any more: it was last used before the longest life of a refresh token. */
const GRANT: Spent = {
  table: "oauthGrant",
  key: "id",
  keptMs: REFRESH_MS + DAY_MS,
  where: (rows, before) => rows.where("lastUsedAt", "<", before),
};

const AUDIT: Spent = {
  table: "audit",
  key: "id",
  keptMs: 400 * DAY_MS,
  where: (rows, before) => rows.where("createdAt", "<", before),
};

const ONCE: Spent = { table: "oidcOnce", key: "hash", keptMs: 0, where: expired };

const ended = (logins: Knex.QueryBuilder, before: Date) =>
  logins.where((login) => login.where("revokedAt", "<", before).orWhere("expiresAt", "<", before));

/** Removes spent logins, tokens, OAuth clients, throttles, invitations and old audit entries, in slices. Safe on any number of processes. */
export const removeSpent = (db: Database, now = Date.now()): Promise<number> =>
  sumSteps(
    ...[...SPENT, { ...AUDIT, only: { organizationId: NO_ID } }].map((spent) => () => removeAll(db, spent, now)),
    ...[AUDIT, GRANT, ONCE].map(
      (spent) => () =>
        eachOrganization(db, { table: spent.table, tenant: "organizationId" }, (organizationId) =>
          removeAll(db, { ...spent, only: { organizationId } }, now),
        ),
    ),
    () => removeLeftClients(db, now),
  );

/** Removes spent rows in slices. When a slice fails, each row fails alone. */
async function removeAll(db: Database, spent: Spent, now: number): Promise<number> {
  let removed = 0;
  try {
    for (let slice = SLICE; slice === SLICE; removed += slice) slice = await removeSlice(db, spent, now);
    return removed;
  } catch (error) {
    if (affectsAll(error)) throw error;
    return removed + (await removeEach(db, spent, now));
  }
}

/** Walks the spent rows by their key, so that rows that cannot go hold no others up. The log shows no key. */
async function removeEach(db: Database, { table, key, keptMs, only, where }: Spent, now: number): Promise<number> {
  const attempts = new Attempts();
  const spent = () => {
    const rows = knex(table).where({ ...only });
    where(rows, new Date(now - keptMs));
    return rows;
  };
  let removed = 0;
  for (let after: string | undefined, size = SLICE; size === SLICE; ) {
    const page = spent().orderBy(key).limit(SLICE).select({ id: key });
    const found: { id: string }[] = await db.query(
      toStatement(after === undefined ? page : page.where(key, ">", after)),
    );
    removed += await attempts.run({ table }, () =>
      sumTogether(
        found.map(({ id }) => id),
        () => ({}),
        async (ids) =>
          (
            await db.query(
              toStatement(
                spent()
                  .whereIn(key, [...ids])
                  .delete(key),
              ),
            )
          ).length,
      ),
    );
    after = found.at(-1)?.id;
    size = found.length;
  }
  attempts.end();
  return removed;
}

/** Leaves to other processes what they are removing. */
async function removeSlice(db: Database, { table, key, keptMs, only, where }: Spent, now: number): Promise<number> {
  const slice = knex(table)
    .where({ ...only })
    .select(key)
    .limit(SLICE)
    .forUpdate()
    .skipLocked();
  where(slice, new Date(now - keptMs));
  const rows = await db.query(
    toStatement(
      knex(table)
        .where({ ...only })
        .whereIn(key, slice)
        .delete(key),
    ),
  );
  return rows.length;
}

/** The time for which a program without a connection is remembered. */
const KEPT_MS = 400 * DAY_MS;
const PROGRAMS = 1_000;

/**
 * Removes programs that were used long ago and that no organization is connected to. Statements of their own: programs
 * are known on every node, and connections lie where their organizations do. Safe on any number of processes.
 */
async function removeLeftClients(db: Database, now: number): Promise<number> {
  const before = new Date(now - KEPT_MS);
  const attempts = new Attempts();
  let removed = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page = knex("oauthClient").where("usedAt", "<", before).where("id", ">", after).orderBy("id").limit(PROGRAMS);
    const found: { id: string }[] = await db.query(toStatement(page.select("id")));
    after = found.length < PROGRAMS ? undefined : found.at(-1)?.id;
    const ids = found.map(({ id }) => id);
    removed += await attempts.run({}, () =>
      sumTogether(
        ids,
        (clientId) => ({ clientId }),
        (some) => removeUnconnected(db, some, before),
      ),
    );
  }
  attempts.end();
  return removed;
}

async function removeUnconnected(db: Database, ids: readonly string[], before: Date): Promise<number> {
  const isAny = (column: string, values: readonly string[]) => knex.raw("?? = any(?::text[])", [column, [...values]]);
  const connected: { id: string }[] = await db.query(
    toStatement(knex("oauthGrant").where(isAny("clientId", ids)).distinct("clientId as id")),
  );
  const used = new Set(connected.map(({ id }) => id));
  const left = ids.filter((id) => !used.has(id));
  // One that was used meanwhile stays.
  const removal = knex("oauthClient").where(isAny("id", left)).where("usedAt", "<", before).delete("id");
  return left.length === 0 ? 0 : (await db.query(toStatement(removal))).length;
}
