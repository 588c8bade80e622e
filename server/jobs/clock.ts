import { CannotOpen } from "../../db/errors/cannot-open.ts";
import type { Database } from "../../db/open.ts";
import type { Runtime } from "../runtime.ts";

/** Tokens live minutes, and what is made is dated by the server: further off, servers of one database disagree. */
const MOST_OFF_MS = 60_000;

/**
 * The distance of this clock from the database's, in words; undefined where it is near enough. The embedded engine has
 * this one. Raw SQL: it reads no table.
 */
async function clockFault(db: Database): Promise<string | undefined> {
  if (db.engine === "embedded") return undefined;
  const asked = Date.now();
  const text = "select (extract(epoch from clock_timestamp()) * 1000)::float8 as at";
  const [row] = await db.query<{ at: number }>({ text });
  const ahead = (asked + Date.now()) / 2 - (row?.at ?? asked);
  if (Math.abs(ahead) <= MOST_OFF_MS) return undefined;
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  return `this server's clock is ${seconds} s ${ahead > 0 ? "ahead of" : "behind"} the database's; set both by NTP`;
}

/** @throws CannotOpen where the clock is so wrong that tokens would live longer or shorter than they may. */
export async function checkClock(db: Database): Promise<void> {
  const fault = await clockFault(db);
  if (fault) throw new CannotOpen(fault);
}

/** Warns of a clock that went wrong since the start: those who are served meanwhile are not cut off. */
export async function watchClock({ db, log }: Runtime): Promise<void> {
  const fault = await clockFault(db);
  if (fault) log.warn(fault);
}
