import { setTimeout as sleep } from "node:timers/promises";
import { runSql } from "../../test/support/db/postgres.ts";
import type { Follower } from "../webhooks/followers.ts";
import { type Absence, isAffected } from "./absences.ts";
import type { Ledger } from "./writers.ts";

/** One checked figure, and whether the figure is within its limit. */
export interface Finding {
  what: string;
  figure: number;
  held: boolean;
}

interface Ending {
  url: string;
  ledgers: readonly Ledger[];
  followers: readonly Follower[][];
  begun: number;
  ended: number;
  /** Milliseconds in which followers must have every change. */
  patience: number;
  /** The periods in which database nodes were away. Organizations on the nodes may be without a write meanwhile. */
  absences?: readonly Absence[];
}

const UNWRITABLE_MS = 12_000;
const SETTLED_MS = 4_000;

/** Compares the acknowledged writes and the followed changes with the database. */
export async function judgeWrites({
  url,
  ledgers,
  followers,
  begun,
  ended,
  patience,
  absences = [],
}: Ending): Promise<Finding[]> {
  const sum = (figure: (ledger: Ledger) => number) => ledgers.reduce((total, ledger) => total + figure(ledger), 0);
  const logs = await settled(() => Promise.all(ledgers.map((ledger) => logOf(url, ledger))));
  const until = performance.now() + patience;
  const behind = () => followers.some((all, at) => all.some(({ seen }) => seen.length < (logs[at]?.length ?? 0)));
  while (behind() && performance.now() < until) await sleep(200);
  const wrong = followers.flatMap((all, at) => all.map((one) => strange(one, logs[at] ?? [])));
  const titles = await runSql(url, "select title from issue");
  const events = await runSql(url, "select event_id::text as id from recorded_event");
  const issueIs = new Set(titles.map(({ title }) => String(title)));
  const eventIs = new Set(events.map(({ id }) => String(id)));
  const missing = (wanted: Set<string>, there: Set<string>) => [...wanted].filter((each) => !there.has(each)).length;
  const none = (what: string, figure: number): Finding => ({ what, figure, held: figure === 0 });
  const pauses = ledgers.map((ledger) =>
    longestPause(
      [begun, ...ledger.moments, ended],
      absences.filter((absence) => isAffected(absence, ledger)),
    ),
  );
  const longest = Math.round(Math.max(...pauses));
  return [
    {
      what: "issues acknowledged",
      figure: sum(({ titles: all }) => all.size),
      held: sum(({ titles: all }) => all.size) > 0,
    },
    {
      what: "events accepted",
      figure: sum(({ eventIds }) => eventIds.size),
      held: sum(({ eventIds }) => eventIds.size) > 0,
    },
    none(
      "issues lost",
      sum(({ titles: all }) => missing(all, issueIs)),
    ),
    none(
      "events lost",
      sum(({ eventIds }) => missing(eventIds, eventIs)),
    ),
    none("rows doubled", titles.length - issueIs.size + events.length - eventIs.size),
    none(
      "gaps in the log",
      logs.reduce((total, log) => total + log.filter((number, at) => number !== at + 1).length, 0),
    ),
    none(
      "changes that followers missed, doubled or saw out of order",
      wrong.reduce((total, each) => total + each, 0),
    ),
    { what: "longest without a write to an organization, ms", figure: longest, held: longest <= UNWRITABLE_MS },
    none(
      "answers neither success nor clean refusal",
      sum(({ wrong: all }) => all.length),
    ),
    { what: "refused with 503", figure: sum(({ refused }) => refused), held: true },
    { what: "connections broken or silent", figure: sum(({ broken }) => broken), held: true },
  ];
}

/** Reads the logs when no more changes arrive: servers may still finish requests that clients gave up. */
async function settled(read: () => Promise<number[][]>): Promise<number[][]> {
  const lengths = (logs: number[][]) => logs.map(({ length }) => length).join();
  for (let before = await read(); ; ) {
    await sleep(SETTLED_MS);
    const now = await read();
    if (lengths(now) === lengths(before)) return now;
    before = now;
  }
}

const logOf = async (url: string, { tenant }: Ledger): Promise<number[]> => {
  const text = `select "lastSyncId"::integer as number from change where "organizationId" = '${tenant.organizationId}' order by 1`;
  return (await runSql(url, text)).map(({ number }) => Number(number));
};

const strange = ({ seen, complaints }: Follower, log: number[]): number =>
  log.filter((number, at) => seen[at] !== number).length + Math.max(0, seen.length - log.length) + complaints.length;

/** The longest time between two moments, minus the absences in between. */
const longestPause = (moments: readonly number[], absences: readonly Absence[]): number =>
  moments.reduce((longest, moment, at) => {
    const before = moments[at - 1] ?? moment;
    const away = absences.map(({ from, to }) => Math.max(0, Math.min(to, moment) - Math.max(from, before)));
    return Math.max(longest, moment - before - away.reduce((sum, each) => sum + each, 0));
  }, 0);
