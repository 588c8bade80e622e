import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { counted } from "../../server/counters.ts";
import { JOBS } from "../../server/jobs/index.ts";
import { runJob } from "../../server/jobs/run.ts";
import { preparePoison, whilePoisoned } from "../support/jobs/poison.ts";
import { SCENES, type Scene, WITHOUT_ORGANIZATIONS } from "../support/jobs/scenes.ts";
import { ownServer } from "../support/own-server.ts";
import { expectJobFailure } from "../support/run/job-failures.ts";
import { freshOrganization, logLines } from "../support/server.ts";
import { type Workspace, workspaceOf } from "../support/workspace.ts";

/** Three organizations, in the order in which jobs come to them. */
type Three = readonly [before: Workspace, poisoned: Workspace, after: Workspace];

describe("every job", function () {
  this.timeout(240_000);
  let app: App;
  let end: () => Promise<void>;
  let three: Three;
  before(async () => {
    ({ app, end } = await ownServer({ EVENT_RETENTION_DAYS: "30" }));
    await preparePoison(app.runtime.db);
    const made = [];
    for (let at = 0; at < 3; at += 1) made.push(await workspaceOf(await freshOrganization(app)));
    three = made as unknown as Three;
  });
  after(() => end());

  const job = (name: string) => JOBS[name] as (typeof JOBS)[string];
  const run = (name: string) => runJob(app.runtime, name, job(name));
  const failing = async () => (await (await fetch(`${app.url}/api/health`)).json()).failingJobs;
  const leftIn = async ({ left }: Scene, spaces: readonly Workspace[]) => {
    const counts = [];
    for (const { organizationId } of spaces) {
      const [row] = await app.runtime.db.query<{ left: number }>({ text: left, values: [organizationId] });
      counts.push(row?.left ?? 0);
    }
    return counts;
  };

  it("has its work in organizations declared, or why it has none", () => {
    const known = [...Object.keys(SCENES), ...Object.keys(WITHOUT_ORGANIZATIONS)];
    expect(known.sort()).to.deep.equal(Object.keys(JOBS).sort());
  });

  for (const name of Object.keys(WITHOUT_ORGANIZATIONS))
    it(`${name}: works`, async () => {
      expect(await run(name)).to.equal(true);
    });

  for (const [name, scene] of Object.entries(SCENES).sort(([, a], [, b]) => Number(!!a.isLast) - Number(!!b.isLast)))
    it(`${name}: works, and serves the organizations beside one whose rows are poisoned`, async () => {
      for (const space of three) await scene.arrange(space, app);
      expect(Math.min(...(await leftIn(scene, three))), "work in each organization").to.be.greaterThan(0);

      expectJobFailure(name);
      const failures = counted("job_failures_total").get(name) ?? 0;
      const from = logLines.length;
      expect(await whilePoisoned(app.runtime.db, three[1].organizationId, () => run(name)), "it works").to.equal(false);
      const [before, poisoned, after] = await leftIn(scene, three);
      expect([before, after], "left in the other organizations").to.deep.equal([0, 0]);
      expect(poisoned, "left in the poisoned one").to.be.greaterThan(0);
      expect(counted("job_failures_total").get(name)).to.equal(failures + 1);
      expect(await failing()).to.deep.equal([name]);
      const blamed = logLines.slice(from).flatMap((line) => (line.includes('"job":') ? [JSON.parse(line)] : []));
      const named = blamed.flatMap(({ job: of, organizationId }) => (of === name ? (organizationId ?? []) : []));
      for (const id of named) expect(id).to.equal(three[1].organizationId);

      expect(await run(name), "it works again").to.equal(true);
      expect(await leftIn(scene, three)).to.deep.equal([0, 0, 0]);
      expect(await failing()).to.deep.equal([]);
    });
});
