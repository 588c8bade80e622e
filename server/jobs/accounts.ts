import type { Knex } from "knex";
import { knex, toStatement } from "../../db/builder.ts";
import { affectsAllParts, PartRunner, runBatchBisectingFailures, runSteps } from "../../db/errors/parts.ts";
import type { Database } from "../../db/open.ts";
import { DAY_MS } from "../../formats/time.ts";
import { REFRESH_TOKEN_LIFETIME_MS } from "../accounts/login/tokens.ts";
import { NO_ID } from "../id.ts";
import { eachOrganization } from "./organizations.ts";

/** Maximum rows that one statement removes. A larger statement would block other statements for longer. */
const SLICE = 1_000;

/** Describes which rows of a table are obsolete, and how long obsolete rows are kept. */
interface Spent {
  table: string;
  key: string;
  keptMs: number;
  /** Limits the rows to one organization. */
  only?: { organizationId: string };
  /** Limits the rows to those that became obsolete before a time. */
  where(rows: Knex.QueryBuilder, before: Date): void;
}

const expired: Spent["where"] = (rows, before) => rows.where("expiresAt", "<", before);

const SPENT: Spent[] = [
  { table: "throttle", key: "key", keptMs: 0, where: (rows, before) => rows.where("until", "<", before) },
  // Refresh tokens that are older than 30 days. The server rejects such a token like an unknown token, so the row is no
  // longer needed.
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
  // An expired API key stays for 30 days, so that the owner of the key can see that the key expired.
  { table: "apiKey", key: "hash", keptMs: 30 * DAY_MS, where: expired },
  { table: "welcome", key: "hash", keptMs: 0, where: expired },
  { table: "passwordReset", key: "hash", keptMs: 0, where: expired },
  // If somebody presents a used code again, the server revokes the tokens created from the code. The row stays for a
  // day to detect a repeated code.
  { table: "oauthCode", key: "hash", keptMs: DAY_MS, where: expired },
  { table: "oauthToken", key: "hash", keptMs: DAY_MS, where: expired },
  // Anybody can register an app. Apps that no user ever allowed are removed.
  {
    table: "oauthClient",
    key: "id",
    keptMs: DAY_MS,
    where: (rows, before) => rows.where("createdAt", "<", before).whereNull("usedAt"),
  },
];

/**
 * Grants whose tokens have all expired, because the last use was longer ago than the maximum lifetime of a refresh
 * token.
 */
const GRANT: Spent = {
  table: "oauthGrant",
  key: "id",
  keptMs: REFRESH_TOKEN_LIFETIME_MS + DAY_MS,
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

/**
 * Removes obsolete logins, tokens, OAuth apps, throttles, invitations and old audit entries, in slices. Safe in any
 * number of concurrent processes.
 */
export const removeObsoleteAccountRows = (db: Database, now = Date.now()): Promise<number> =>
  runSteps(
    ...[...SPENT, { ...AUDIT, only: { organizationId: NO_ID } }].map((spent) => () => removeAll(db, spent, now)),
    ...[AUDIT, GRANT, ONCE].map(
      (spent) => () =>
        eachOrganization(db, { table: spent.table, tenant: "organizationId" }, (organizationId) =>
          removeAll(db, { ...spent, only: { organizationId } }, now),
        ),
    ),
    () => removeLeftClients(db, now),
  );

/** Removes obsolete rows in slices. When a slice fails, each row is removed separately. */
async function removeAll(db: Database, spent: Spent, now: number): Promise<number> {
  let removed = 0;
  try {
    for (let slice = SLICE; slice === SLICE; removed += slice) slice = await removeSlice(db, spent, now);
    return removed;
  } catch (error) {
    if (affectsAllParts(error)) throw error;
    return removed + (await removeEach(db, spent, now));
  }
}

/**
 * Removes obsolete rows in key order. Rows that cannot be removed do not block other rows. The log contains no keys.
 */
async function removeEach(db: Database, { table, key, keptMs, only, where }: Spent, now: number): Promise<number> {
  const attempts = new PartRunner();
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
      runBatchBisectingFailures(
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

/** Skips rows that other processes are removing. */
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

/** Time to keep an app without a connection. */
const KEPT_MS = 400 * DAY_MS;
const PROGRAMS = 1_000;

/**
 * Removes apps that were last used long ago and that no organization is connected to. Uses separate statements, because
 * apps are stored on every node and connections on the nodes of their organizations. Safe in any number of concurrent
 * processes.
 */
async function removeLeftClients(db: Database, now: number): Promise<number> {
  const before = new Date(now - KEPT_MS);
  const attempts = new PartRunner();
  let removed = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page = knex("oauthClient").where("usedAt", "<", before).where("id", ">", after).orderBy("id").limit(PROGRAMS);
    const found: { id: string }[] = await db.query(toStatement(page.select("id")));
    after = found.length < PROGRAMS ? undefined : found.at(-1)?.id;
    const ids = found.map(({ id }) => id);
    removed += await attempts.run({}, () =>
      runBatchBisectingFailures(
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
  // An app that was used in the meantime stays.
  const removal = knex("oauthClient").where(isAny("id", left)).where("usedAt", "<", before).delete("id");
  return left.length === 0 ? 0 : (await db.query(toStatement(removal))).length;
}
