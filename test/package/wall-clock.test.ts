import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";

/**
 * Folders whose programs measure time. The web app is not listed, because a page asks the server again when the
 * server refuses its token.
 */
const FOLDERS = ["formats", "redaction", "concurrency", "db", "server", "mcp", "cli"];

/**
 * Files that may read the wall clock as a number, with the purpose. Deadlines, cache ages and durations use
 * `performance.now()`. Stored expiry times use `getMonotonicEpochMs()` of concurrency/held-clock.ts.
 */
const WALL_CLOCK: Record<string, string> = {
  "concurrency/held-clock.ts": "makes the clock that is never set back",
  "formats/time.ts": "a date in Retry-After is by the wall clock",
  "cli/blame/blame.ts": "compares with times of commits and sessions",
  "cli/transcripts/import.ts": "compares with the times of files",
  "cli/work/caller.ts": "compares with times in files",
  "mcp/handlers/tools.ts": "the time of a call is recorded",
  "server/admin/backup/schedule.ts": "compares with the times of files",
  "server/admin/commands.ts": "a key ends some days from now",
  "server/admin/preflight/postgres.ts": "compares two clocks",
  "server/jobs/clock.ts": "compares two clocks",
  "server/jobs/accounts.ts": "compares with stored times of days",
  "server/jobs/deletion.ts": "compares with stored times of days",
  "server/jobs/inbox.ts": "compares with stored times of days",
  "server/jobs/mentions/arrived.ts": "compares with stored times of days",
  "server/jobs/retention/observations.ts": "compares with stored times of days",
  "server/jobs/retention/retention.ts": "compares with stored times of days",
  "server/jobs/streams.ts": "compares with stored times of days",
  "server/jobs/totals.ts": "compares with times of sessions",
  "server/jobs/trash.ts": "compares with stored times of days",
  "server/jobs/run.ts": "metrics show times",
  "server/stream/feed.ts": "a metric shows a time",
  "server/auth/last-used.ts": "the time of a use is stored",
  "server/accounts/recorded-reads.ts": "the hour of a read is stored",
  "server/control/endpoints/organization.ts": "the prices of today",
  "server/ingest/request/receive.ts": "the time of an arrival is stored",
  "server/ingest/observe/append.ts": "the time of an arrival is stored",
  "server/ingest/observe/silence.ts": "compares with stored times of arrivals",
  "server/ingest/observe/project/projector.ts": "compares with stored times of arrivals",
  "server/resources/issue/search/operators.ts": "a range of times that a user asks for",
  "server/resources/recorded/analytics/range.ts": "a range of times that a user asks for",
  "server/stream/webhooks/attempt.ts": "the time of an attempt is sent and stored",
  "server/stream/webhooks/disable.ts": "compares with stored times of days",
  "server/stream/webhooks/exchange.ts": "a date in Retry-After is by the wall clock",
};

/** Reads of the wall clock as a number, and comparisons with the current time, in code without comments. */
const READS = [
  /\bDate\.now\b/g,
  /\bnew Date\(\)\.(getTime|valueOf)\b/g,
  /(\+|\bNumber\(|[-<>]=?\s*)new Date\(\)/g,
  /\bnew Date\(\)\s*[-<>+]/g,
];

const readsIn = (source: string): number => {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, "");
  return READS.reduce((sum, pattern) => sum + [...code.matchAll(pattern)].length, 0);
};

describe("the wall clock, which may be set at any time,", () => {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name}`)
      .filter((path) => /\.[jt]s$/.test(path)),
  );
  const readers = sources.filter((path) => readsIn(readFileSync(path, "utf8")) > 0).sort();

  it("measures no elapsed time: only listed files read it as a number, each for a stored time", () => {
    const cure =
      "use performance.now() for elapsed time, getMonotonicEpochMs() for what expires; or name the file in WALL_CLOCK";
    expect(
      readers.filter((path) => !(path in WALL_CLOCK)),
      cure,
    ).to.deep.equal([]);
  });

  it("is read by every listed file", () => {
    expect(Object.keys(WALL_CLOCK).sort()).to.deep.equal(readers);
  });

  it("is found in each form of a read", () => {
    for (const code of [
      "if (Date.now() - begun > 5) stop();",
      "const until = 5 + Date.now();",
      "const { now } = { now: Date.now };",
      "const age = +new Date() - begun;",
      "while (new Date() < until) wait();",
      "if (until <= new Date()) stop();",
      "const age = new Date().getTime() - begun;",
    ])
      expect(readsIn(code), code).to.be.greaterThan(0);
    for (const code of ["// Date.now() - begun", "/** Date.now() */", "const row = { createdAt: new Date() };"])
      expect(readsIn(code), code).to.equal(0);
  });
});
