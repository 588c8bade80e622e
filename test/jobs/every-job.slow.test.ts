import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { readMetric } from "../../server/counters.ts";
import { JOBS } from "../../server/jobs/index.ts";
import { runJob } from "../../server/jobs/run.ts";
import { preparePoison, whileOrganizationDeleted, whilePoisoned } from "../support/jobs/poison.ts";
import { JOB_SCENES, JOBS_WITHOUT_ORGANIZATIONS, type JobScene } from "../support/jobs/scenes.ts";
import { startOwnServer } from "../support/own-server.ts";
import { expectJobFailure } from "../support/run/job-failures.ts";
import { createOrganization, logLines } from "../support/server.ts";
import { createWorkspaceIn, type Workspace } from "../support/workspace.ts";

/** Three organizations, in the order in which jobs process organizations. */
type Three = readonly [before: Workspace, poisoned: Workspace, after: Workspace];

/** Two tables that have grown. PostgreSQL cannot analyze the larger table while the table `poisoned` has rows. */
const GROWN = [
  `create function refuse_analyze(n integer) returns integer immutable language plpgsql as $$ begin
    if exists (select from poisoned) then raise exception 'the table is poisoned'; end if; return n; end $$`,
  "create table grown (n integer) with (autovacuum_enabled = false)",
  "create table grown_poisoned (n integer) with (autovacuum_enabled = false)",
  "create index on grown_poisoned (refuse_analyze(n))",
  "insert into grown select generate_series(1, 2000)",
  "insert into grown_poisoned select generate_series(1, 3000)",
];

describe("every job", () => {
  let app: App;
  let end: () => Promise<void>;
  let three: Three;
  before(async () => {
    ({ app, end } = await startOwnServer({ EVENT_RETENTION_DAYS: "30" }));
    await preparePoison(app.runtime.db);
    const made = [];
    for (let at = 0; at < 3; at += 1) made.push(await createWorkspaceIn(await createOrganization(app)));
    three = made as unknown as Three;
  });
  after(() => end());

  const job = (name: string) => JOBS[name] as (typeof JOBS)[string];
  const run = (name: string) => runJob(app.runtime, name, job(name));
  const failing = async () =>
    ((await (await fetch(`${app.url}/api/health`)).json()) as { failingJobs: string[] }).failingJobs;
  const leftIn = async ({ left }: JobScene, spaces: readonly Workspace[]) => {
    const counts = [];
    for (const { organizationId } of spaces) {
      const [row] = await app.runtime.db.query<{ left: number }>({ text: left, values: [organizationId] });
      counts.push(row?.left ?? 0);
    }
    return counts;
  };

  it("has a test scene, or a reason for having none", () => {
    const known = [...Object.keys(JOB_SCENES), ...Object.keys(JOBS_WITHOUT_ORGANIZATIONS)];
    expect(known.sort()).to.deep.equal(Object.keys(JOBS).sort());
  });

  for (const name of Object.keys(JOBS_WITHOUT_ORGANIZATIONS))
    it(`does its work: ${name}`, async () => {
      expect(await run(name)).to.equal(true);
    });

  // The embedded engine analyzes tables by itself.
  if (process.env["TEST_DATABASE_URL"])
    it("does its work: tables that grew are analyzed, beside a table that cannot be analyzed", async () => {
      const { db } = app.runtime;
      for (const text of GROWN) await db.query({ text });
      const counts = async (condition: string): Promise<string[]> => {
        const text = `select relname as name from pg_stat_user_tables where relname like 'grown%' and ${condition} order by 1`;
        return (await db.query<{ name: string }>({ text })).map(({ name }) => name);
      };
      while ((await counts("n_mod_since_analyze >= 2000")).length < 2) await sleep(50);
      expectJobFailure("tables that grew");
      expect(await whilePoisoned(db, randomUUID(), () => run("tables that grew"))).to.equal(false);
      while ((await counts("last_analyze is not null")).length === 0) await sleep(50);
      expect(await counts("last_analyze is not null")).to.deep.equal(["grown"]);
      expect(await run("tables that grew")).to.equal(true);
      while ((await counts("last_analyze is not null")).length < 2) await sleep(50);
    });

  for (const [name, scene] of Object.entries(JOB_SCENES).sort(
    ([, a], [, b]) => Number(!!a.isLast) - Number(!!b.isLast),
  ))
    it(`does its work for all other rows beside a poisoned row: ${name}`, async () => {
      const ids: unknown[] = [];
      for (const space of three) ids.push(await scene.arrange(space, app));
      expect(Math.min(...(await leftIn(scene, three))), "work in each organization").to.be.greaterThan(0);
      const [{ organizationId: own }, { organizationId: poisoned }] = three;

      expectJobFailure(name);
      const failures = readMetric("job_failures_total").get(name) ?? 0;
      const from = logLines.length;
      expect(await whilePoisoned(app.runtime.db, poisoned, () => run(name)), "it works").to.equal(false);
      const [before, left, after] = await leftIn(scene, three);
      expect([before, after], "left in the other organizations").to.deep.equal([0, 0]);
      expect(left, "left in the poisoned one").to.be.greaterThan(0);
      expect(readMetric("job_failures_total").get(name)).to.equal(failures + 1);
      expect(await failing()).to.include(name);
      expect(blamed(name, from)).to.be.oneOf(["", poisoned]);

      const passWhilePoisoned = () => whilePoisoned(app.runtime.db, poisoned, () => run(name));
      const works = await whileOrganizationDeleted(app.runtime.db, poisoned, passWhilePoisoned);
      expect(works, "an organization that is gone is no failure").to.equal(!scene.isOfAll);
      expect(await run(name), "it works again").to.equal(true);
      expect(await leftIn(scene, three)).to.deep.equal([0, 0, 0]);
      expect(await failing()).to.not.include(name);
      if (ids.every((id) => typeof id === "string")) await servesOthersOf(name, scene, own);
    });

  /** Checks that of three sessions or leases of an organization, only the poisoned row fails. */
  async function servesOthersOf(name: string, scene: JobScene, organizationId: string): Promise<void> {
    const [space] = three;
    const ids = [];
    for (let at = 0; at < 3; at += 1) ids.push(String(await scene.arrange(space, app)));
    const [all = 0] = await leftIn(scene, [space]);
    const from = logLines.length;
    expect(await whilePoisoned(app.runtime.db, String(ids[1]), () => run(name)), "it works").to.equal(false);
    expect(await leftIn(scene, [space]), "left of three").to.deep.equal([all / 3]);
    expect(blamed(name, from)).to.equal(organizationId);
    expect(await run(name), "it works again").to.equal(true);
    expect(await leftIn(scene, [space])).to.deep.equal([0]);
  }

  /** Returns the organizations that the log names for a job after line `from`. */
  function blamed(name: string, from: number): string {
    const lines = logLines.slice(from).filter((line) => line.includes('"job":'));
    const named = lines
      .map((line) => JSON.parse(line))
      .flatMap(({ job, organizationId }) => (job === name ? (organizationId ?? []) : []));
    return [...new Set(named)].join();
  }
});
