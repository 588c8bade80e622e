import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { getMonotonicDate, getMonotonicEpochMs } from "../../concurrency/held-clock.ts";
import { definePreparedStatement, knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { toIpNetwork } from "../../formats/address.ts";
import { rateLimited } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import type { Queryable } from "./audit.ts";

/** Returns the key under which attempts from one network are counted. All text that is no address shares one key. */
export const toNetworkKey = (address: string): string => toIpNetwork(address) ?? "no address";

/** Counted attempts of a key within a window. */
interface AttemptCount {
  key: string;
  attempts: number;
  failures: number;
  until: Date;
}

/** Window in which failures are counted: 15 minutes. */
const WINDOW_MS = 15 * 60 * 1000;

/**
 * Tolerance, in ms, for clocks of servers. If a stored window ends later than a new window would, plus this time, a
 * clock was set back, and the stored window counts as passed.
 */
const AHEAD_MS = 120_000;

/** Returns the counts of keys whose window has not passed. */
async function currentCounts(db: Queryable, windows: ReadonlyMap<string, number>): Promise<AttemptCount[]> {
  const now = getMonotonicEpochMs();
  const rows = await db.query<AttemptCount>(currentRows({ keys: [...windows.keys()], now: new Date(now) }));
  return rows.filter(({ key, until }) => until.getTime() <= now + (windows.get(key) ?? 0) + AHEAD_MS);
}

const currentRows = definePreparedStatement("throttle-current", ["keys", "now"], ({ keys, now }) =>
  knex("throttle")
    .whereRaw("key = any(?::text[])", [keys])
    .where("until", ">", now)
    .select("key", "attempts", "failures", "until"),
);

/** Attempts to add to a key, and the length of a new window. */
interface Added {
  key: string;
  times: number;
  windowMs: number;
}

/**
 * Adds attempts to keys. Begins a new window if the old window has passed. Keys are sorted, so that concurrent
 * statements cannot deadlock.
 */
function countAttempts(db: Queryable, added: readonly Added[]): Promise<AttemptCount[]> {
  const sorted = [...added].sort((one, other) => (one.key < other.key ? -1 : 1));
  return db.query<AttemptCount>(toStatement(countSql(sorted, getMonotonicDate())));
}

function countSql(added: readonly Added[], now: Date) {
  const after = (ms: number) => new Date(now.getTime() + ms);
  const orAnew = (anew: string, onward: string) =>
    knex.raw(
      `case when t.until <= ? or t.until > excluded.until + interval '${AHEAD_MS} milliseconds'
        then ${anew} else ${onward} end`,
      [now],
    );
  return knex("throttle as t")
    .insert(added.map(({ key, times, windowMs }) => ({ key, attempts: times, failures: 0, until: after(windowMs) })))
    .onConflict("key")
    .merge({
      attempts: orAnew("excluded.attempts", "t.attempts + excluded.attempts"),
      failures: orAnew("0", "t.failures"),
      until: orAnew("excluded.until", "t.until"),
    })
    .returning(["key", "attempts", "failures", "until"]);
}

/**
 * Subtracts one attempt, so that it no longer counts. The number of attempts never falls below the number of failures.
 */
const giveBack = (db: Database, keys: string[]) =>
  change(db, keys, { attempts: knex.raw("greatest(attempts - 1, failures)") });

/**
 * Reduces the number of attempts to the number of failures. The remaining attempts will never end, because their
 * process crashed.
 */
const forget = (db: Database, keys: string[]) => change(db, keys, { attempts: knex.ref("failures") });

/** Counts a failure. The failed attempt also still counts as an attempt. */
const recordFailure = (db: Database, keys: string[]) =>
  change(db, keys, {
    failures: knex.raw("failures + 1"),
    attempts: knex.raw("greatest(attempts, failures + 1)"),
  });

/** After a correct password, deletes the counted failures for the pair of email address and client address. */
async function clearFailures(db: Database, keys: string[], pair: string): Promise<void> {
  await giveBack(db, keys);
  await db.query(toStatement(knex("throttle").where({ key: pair }).delete()));
}

/**
 * Changes the counts of keys. Locks the rows in the same order as `countAttempts`, so that concurrent statements cannot
 * deadlock.
 */
async function change(db: Database, keys: string[], assignments: Record<string, Knex.Raw | Knex.Ref<string, object>>) {
  const locked = knex("throttle").whereIn("key", keys).orderByRaw(`key collate "C"`).forUpdate().select("key");
  await db.query(toStatement(knex("throttle").whereIn("key", locked).update(assignments)));
}

/** Maximum failed logins per window for one account from one address. */
const PER_PAIR = 10;
/** Maximum failed logins per window for all accounts from one address. */
const PER_ADDRESS = 100;

/**
 * Maximum time, in ms, for which an attempt waits for running password checks. No check takes longer, even with its
 * time in the queue. An attempt that is still counted afterwards is left over from a crash.
 */
const WAIT_MS = 10_000;

/** An admitted login attempt. The caller must call exactly one of the three functions. */
export interface LoginAttempt {
  failed(): Promise<void>;
  succeeded(): Promise<void>;
  /** Subtracts the attempt, because no password was checked. */
  abandoned(): Promise<void>;
}

/**
 * Admits or rejects an attempt to log in to an account from an address. Attempts are counted in database rows, so the
 * limit holds for all servers together. Attempts are counted before the password check, so parallel attempts do not
 * bypass the limit. Correct passwords that arrive together wait for each other instead of being rejected.
 * @throws rateLimited (429) with the seconds until the window ends.
 */
export async function admitLoginAttempt(db: Database, email: string, address: string): Promise<LoginAttempt> {
  const pair = keyOf("pair", email, toNetworkKey(address));
  const keys = [pair, keyOf("address", toNetworkKey(address))];
  const limits = new Map([[pair, PER_PAIR]]);
  const limitOf = (key: string) => limits.get(key) ?? PER_ADDRESS;
  const spentOf = (rows: AttemptCount[]) => rows.find((row) => row.failures >= limitOf(row.key));
  // Most attempts of an attack end here, with one read and no write.
  refuse(spentOf(await currentCounts(db, new Map(keys.map((key) => [key, WINDOW_MS])))));
  for (const deadline = performance.now() + WAIT_MS; ; await sleep(100)) {
    const rows = await countAttempts(
      db,
      keys.map((key) => ({ key, times: 1, windowMs: WINDOW_MS })),
    );
    const spent = spentOf(rows);
    const full = rows.some((row) => row.attempts > limitOf(row.key));
    if (!spent && !full) break;
    await giveBack(db, keys);
    refuse(spent);
    if (performance.now() > deadline) await forget(db, keys);
  }
  return {
    failed: () => recordFailure(db, keys),
    succeeded: () => clearFailures(db, keys, pair),
    abandoned: () => giveBack(db, keys),
  };
}

/** @throws rateLimited if a count has reached its limit, with the time until the window ends. */
function refuse(spent: AttemptCount | undefined): void {
  if (spent) throw tooMany(spent.until.getTime() - getMonotonicEpochMs());
}

const keyOf = (...parts: string[]) => createHash("sha256").update(parts.join("\n")).digest("base64url");

const tooMany = (ms: number) =>
  rateLimited("Too many failed logins; wait before you try again.", Math.max(1, Math.ceil(ms / 1000)));

/** A maximum number of actions per window. The window begins with the first action. */
export interface RateLimit {
  /** The kind of action, and the network, address or organization whose actions are counted. */
  of: readonly string[];
  most: number;
  windowMs: number;
  refusal: string;
  /** Number of actions to count at once; default 1. */
  times?: number;
}

/**
 * Counts an action against each of the given limits, with one statement and in database rows, so the limits hold for
 * all servers together. If one of several limits rejects the action, no limit counts the action, except for concurrent
 * requests. LOGIN_THROTTLE=off disables this function and the other throttles.
 * @throws rateLimited (429) with the seconds until the window ends.
 */
export async function enforceLimitsIfThrottling(
  { db, config }: Pick<Runtime, "db" | "config">,
  ...rates: RateLimit[]
): Promise<void> {
  if (config.LOGIN_THROTTLE === "on") await enforceRateLimits(db, rates);
}

/** Counts actions as `enforceLimitsIfThrottling` does, but also when LOGIN_THROTTLE is off. @throws rateLimited (429) */
export async function enforceRateLimits(db: Queryable, rates: readonly RateLimit[]): Promise<void> {
  const byKey = new Map(rates.map((rate) => [keyOf("rate", ...rate.of), rate]));
  const refuseOver = (rows: AttemptCount[], more: number) => {
    for (const { key, attempts, until } of rows) {
      const { most = 0, refusal = "", times = 1 } = byKey.get(key) ?? {};
      if (attempts + more * times > most)
        throw rateLimited(refusal, Math.max(1, Math.ceil((until.getTime() - getMonotonicEpochMs()) / 1000)));
    }
  };
  if (byKey.size > 1)
    refuseOver(await currentCounts(db, new Map(rates.map(({ of, windowMs }) => [keyOf("rate", ...of), windowMs]))), 1);
  const added = [...byKey].map(([key, { times = 1, windowMs }]) => ({ key, times, windowMs }));
  refuseOver(await countAttempts(db, added), 0);
}
