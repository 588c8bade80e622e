import { reportWallClockAccuracy } from "../../concurrency/held-clock.ts";
import { DatabaseOpenError } from "../../db/errors/cannot-open.ts";
import type { Database } from "../../db/open.ts";
import type { Runtime } from "../runtime.ts";

/**
 * Maximum difference in ms between the clocks of server and database. Tokens live only for minutes, and each server
 * dates the rows that it creates. With a larger difference, servers of one database would disagree about these times.
 */
const MOST_OFF_MS = 60_000;

/**
 * Describes the difference between the clocks of server and database; undefined if the difference is acceptable. The
 * embedded engine uses the server's clock. If somebody sets the server's clock, the new time affects expiry only when
 * both clocks agree. Raw SQL: reads no table.
 */
async function clockFault(db: Database): Promise<string | undefined> {
  if (db.engine === "embedded") return undefined;
  const asked = Date.now();
  const text = "select (extract(epoch from clock_timestamp()) * 1000)::float8 as at";
  const [row] = await db.query<{ at: number }>({ text });
  const ahead = (asked + Date.now()) / 2 - (row?.at ?? asked);
  const isNear = Math.abs(ahead) <= MOST_OFF_MS;
  reportWallClockAccuracy(isNear);
  if (isNear) return undefined;
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  return `this server's clock is ${seconds} s ${ahead > 0 ? "ahead of" : "behind"} the database's; set both with NTP`;
}

/** @throws DatabaseOpenError if the clock is so wrong that tokens would live longer or shorter than allowed */
export async function checkClock(db: Database): Promise<void> {
  const fault = await clockFault(db);
  if (fault) throw new DatabaseOpenError(fault);
}

/**
 * Warns about a clock that became wrong after the start. The server continues, so that current users are not cut off.
 */
export async function watchClock({ db, log }: Runtime): Promise<void> {
  const fault = await clockFault(db);
  if (fault) log.warn(fault);
}
