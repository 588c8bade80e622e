import { judgeWallClock } from "../../concurrency/held-clock.ts";
import { CannotOpen } from "../../db/errors/cannot-open.ts";
import type { Database } from "../../db/open.ts";
import type { Runtime } from "../runtime.ts";

/**
 * Maximum difference of clocks. Tokens live for minutes, and the server dates new rows. With a larger difference,
 * servers of one database would disagree.
 */
const MOST_OFF_MS = 60_000;

/**
 * Describes the difference between the clocks of server and database; undefined if the difference is acceptable. The
 * embedded engine uses the server's clock. A step of the server's clock affects expiry only when both clocks agree.
 * Raw SQL: reads no table.
 */
async function clockFault(db: Database): Promise<string | undefined> {
  if (db.engine === "embedded") return undefined;
  const asked = Date.now();
  const text = "select (extract(epoch from clock_timestamp()) * 1000)::float8 as at";
  const [row] = await db.query<{ at: number }>({ text });
  const ahead = (asked + Date.now()) / 2 - (row?.at ?? asked);
  const isNear = Math.abs(ahead) <= MOST_OFF_MS;
  judgeWallClock(isNear);
  if (isNear) return undefined;
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  return `this server's clock is ${seconds} s ${ahead > 0 ? "ahead of" : "behind"} the database's; set both with NTP`;
}

/** @throws CannotOpen if the clock is so wrong that tokens would live longer or shorter than allowed */
export async function checkClock(db: Database): Promise<void> {
  const fault = await clockFault(db);
  if (fault) throw new CannotOpen(fault);
}

/**
 * Warns about a clock that became wrong after the start. The server continues, so that current users are not cut off.
 */
export async function watchClock({ db, log }: Runtime): Promise<void> {
  const fault = await clockFault(db);
  if (fault) log.warn(fault);
}
