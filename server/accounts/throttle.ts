import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { compiled, knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { networkOf } from "../../formats/address.ts";
import { rateLimited } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import type { Queryable } from "./audit.ts";

/** The network that counts as one guesser. Text that is no address gets no key of its own. */
export const network = (address: string): string => networkOf(address) ?? "no address";

/** The attempts of one guesser in its window. */
interface AttemptCount {
  key: string;
  attempts: number;
  failures: number;
  until: Date;
}

/** For how long failures are counted: 15 minutes. */
const WINDOW_MS = 15 * 60 * 1000;

/** The counts of keys whose window has not passed. */
const currentCounts = (db: Queryable, keys: string[]) => db.query<AttemptCount>(currentRows({ keys, now: new Date() }));

const currentRows = compiled("throttle-current", ["keys", "now"], ({ keys, now }) =>
  knex("throttle")
    .whereRaw("key = any(?::text[])", [keys])
    .where("until", ">", now)
    .select("key", "attempts", "failures", "until"),
);

/** Times to add to a key, and the length of a window that begins now. */
interface Added {
  key: string;
  times: number;
  windowMs: number;
}

/** Adds attempts to keys, beginning a new window where the old one has passed. Sorted, so that none deadlock. */
function countAttempts(db: Queryable, added: readonly Added[]): Promise<AttemptCount[]> {
  const sorted = [...added].sort((one, other) => (one.key < other.key ? -1 : 1));
  return db.query<AttemptCount>(toStatement(countSql(sorted, new Date())));
}

function countSql(added: readonly Added[], now: Date) {
  const after = (ms: number) => new Date(now.getTime() + ms);
  const orAnew = (anew: string, onward: string) =>
    knex.raw(`case when t.until <= ? then ${anew} else ${onward} end`, [now]);
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

/** Takes an attempt back that was not checked. */
const giveBack = (db: Database, keys: string[]) =>
  change(db, keys, { attempts: knex.raw("greatest(attempts - 1, failures)") });

/** Counts only what failed, for attempts that nobody will end any more. */
const forget = (db: Database, keys: string[]) => change(db, keys, { attempts: knex.ref("failures") });

/** Counts a failure; it stays counted as an attempt. */
const recordFailure = (db: Database, keys: string[]) =>
  change(db, keys, {
    failures: knex.raw("failures + 1"),
    attempts: knex.raw("greatest(attempts, failures + 1)"),
  });

/** Forgets the failures of an account from one address: the password was right. */
async function clearFailures(db: Database, keys: string[], pair: string): Promise<void> {
  await giveBack(db, keys);
  await db.query(toStatement(knex("throttle").where({ key: pair }).delete()));
}

/** Locks in the order in which `countAttempt` inserts, so that none deadlock. */
async function change(db: Database, keys: string[], assignments: Record<string, Knex.Raw | Knex.Ref<string, object>>) {
  const locked = knex("throttle").whereIn("key", keys).orderByRaw(`key collate "C"`).forUpdate().select("key");
  await db.query(toStatement(knex("throttle").whereIn("key", locked).update(assignments)));
}

/** Failed logins allowed in a window, of one account from one address. */
const PER_PAIR = 10;
/** Failed logins allowed in a window, of all accounts from one address. */
const PER_ADDRESS = 100;

/**
 * The longest wait of a guess for others that are being checked. It is longer than any check, its wait in the queue
 * included: a guess that is counted after it was left behind by a crash.
 */
const WAIT_MS = 10_000;

/** A guess at a password that was admitted: exactly one of the three must be called. */
export interface Attempt {
  failed(): Promise<void>;
  succeeded(): Promise<void>;
  /** Takes the attempt back: it was not checked, and counts neither way. */
  abandoned(): Promise<void>;
}

/**
 * Admits a guess at an account's password from an address, or refuses it. Counted in rows, so that it holds across
 * instances, and counted before the check, so that many guesses at once are no way round it. Right passwords that
 * arrive together wait for each other instead of being refused.
 * @throws rateLimited (429) with the seconds until the window ends.
 */
export async function admitAttempt(db: Database, email: string, address: string): Promise<Attempt> {
  const pair = keyOf("pair", email, network(address));
  const keys = [pair, keyOf("address", network(address))];
  const limits = new Map([[pair, PER_PAIR]]);
  const limitOf = (key: string) => limits.get(key) ?? PER_ADDRESS;
  const spentOf = (rows: AttemptCount[]) => rows.find((row) => row.failures >= limitOf(row.key));
  // Most guesses of an attack end here: one read, no write.
  refuse(spentOf(await currentCounts(db, keys)));
  for (const deadline = Date.now() + WAIT_MS; ; await sleep(100)) {
    const rows = await countAttempts(
      db,
      keys.map((key) => ({ key, times: 1, windowMs: WINDOW_MS })),
    );
    const spent = spentOf(rows);
    const full = rows.some((row) => row.attempts > limitOf(row.key));
    if (!spent && !full) break;
    await giveBack(db, keys);
    refuse(spent);
    if (Date.now() > deadline) await forget(db, keys);
  }
  return {
    failed: () => recordFailure(db, keys),
    succeeded: () => clearFailures(db, keys, pair),
    abandoned: () => giveBack(db, keys),
  };
}

/** @throws rateLimited for a count that is spent, with the time until its window ends. */
function refuse(spent: AttemptCount | undefined): void {
  if (spent) throw tooMany(spent.until.getTime() - Date.now());
}

const keyOf = (...parts: string[]) => createHash("sha256").update(parts.join("\n")).digest("base64url");

const tooMany = (ms: number) =>
  rateLimited("Too many failed logins; wait before the next try.", Math.max(1, Math.ceil(ms / 1000)));

/** The number of times that something may be done within a window. The window begins with the first time. */
export interface Rate {
  /** The kind of thing that is counted, and for whom. */
  of: readonly string[];
  most: number;
  windowMs: number;
  refusal: string;
  /** Times to count at once; 1 unless given. */
  times?: number;
}

/**
 * Counts something against one or several rates, once more for each. The counts are rows, raised by one statement: they
 * hold for any number of servers at once. What one of several rates refuses is counted for none of them, unless others come at the
 * same moment. LOGIN_THROTTLE turns it off with the other counts of who comes too often.
 * @throws rateLimited (429) with the seconds until the window ends.
 */
export async function countAgainst({ db, config }: Pick<Runtime, "db" | "config">, ...rates: Rate[]): Promise<void> {
  if (config.LOGIN_THROTTLE === "on") await countRates(db, rates);
}

/** The same wherever counting is on. @throws rateLimited (429) */
export async function countRates(db: Queryable, rates: readonly Rate[]): Promise<void> {
  const byKey = new Map(rates.map((rate) => [keyOf("rate", ...rate.of), rate]));
  const refuseOver = (rows: AttemptCount[], more: number) => {
    for (const { key, attempts, until } of rows) {
      const { most = 0, refusal = "", times = 1 } = byKey.get(key) ?? {};
      if (attempts + more * times > most)
        throw rateLimited(refusal, Math.max(1, Math.ceil((until.getTime() - Date.now()) / 1000)));
    }
  };
  if (byKey.size > 1) refuseOver(await currentCounts(db, [...byKey.keys()]), 1);
  const added = [...byKey].map(([key, { times = 1, windowMs }]) => ({ key, times, windowMs }));
  refuseOver(await countAttempts(db, added), 0);
}
