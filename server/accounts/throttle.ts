import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { compiled, knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { networkOf } from "../../formats/address.ts";
import { rateLimited } from "../errors.ts";
import type { Runtime } from "../runtime.ts";

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
const currentCounts = (db: Database, keys: string[]) => db.query<AttemptCount>(currentRows({ keys, now: new Date() }));

const currentRows = compiled("throttle-current", ["keys", "now"], ({ keys, now }) =>
  knex("throttle")
    .whereRaw("key = any(?::text[])", [keys])
    .where("until", ">", now)
    .select("key", "attempts", "failures", "until"),
);

/** Adds one attempt to each key, beginning a new window where the old one has passed. Sorted, so that none deadlock. */
function countAttempt(db: Database, keys: string[], windowMs = WINDOW_MS): Promise<AttemptCount[]> {
  return db.query<AttemptCount>(toStatement(countSql([...keys].sort(), new Date(), windowMs)));
}

function countSql(keys: string[], now: Date, windowMs: number) {
  const until = new Date(now.getTime() + windowMs);
  const orAnew = (anew: string, onward: string) =>
    knex.raw(`case when t.until <= ? then ${anew} else ${onward} end`, [now]);
  return knex("throttle as t")
    .insert(keys.map((key) => ({ key, attempts: 1, failures: 0, until })))
    .onConflict("key")
    .merge({
      attempts: orAnew("1", "t.attempts + 1"),
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
    const rows = await countAttempt(db, keys);
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
interface Rate {
  /** The kind of thing that is counted, and for whom. */
  of: readonly string[];
  most: number;
  windowMs: number;
  refusal: string;
}

/**
 * Counts one time more. The count is a row, raised by one statement: it holds for any number of servers at once.
 * LOGIN_THROTTLE turns it off with the other counts of who comes too often.
 * @throws rateLimited (429) with the seconds until the window ends.
 */
export async function countAgainst({ db, config }: Runtime, { of, most, windowMs, refusal }: Rate): Promise<void> {
  if (config.LOGIN_THROTTLE === "off") return;
  const key = createHash("sha256")
    .update(["rate", ...of].join("\n"))
    .digest("base64url");
  const [row] = await countAttempt(db, [key], windowMs);
  if (!row || row.attempts <= most) return;
  throw rateLimited(refusal, Math.max(1, Math.ceil((row.until.getTime() - Date.now()) / 1000)));
}
