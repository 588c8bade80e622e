import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { earlierSql } from "../support/db/database.ts";
import { createOrganization, startServer } from "../support/server.ts";
import { createAgent } from "../support/tracker/work.ts";
import { createWorkspaceIn, type Workspace } from "../support/workspace.ts";

/** Creates an issue whose lease has expired. Returns a function that tells whether a job has ended the lease. */
async function over(space: Workspace, { db }: App["runtime"]): Promise<() => Promise<boolean>> {
  const agent = await createAgent(space);
  const { id } = await space.issue();
  await agent.claim({ id });
  const moments = ["grantedAt", "renewedAt", "expiresAt", "checkAt"];
  const back = moments.map((name) => `"${name}" = ${earlierSql(`"${name}"`, "interval '1 hour'")}`).join(", ");
  await db.query({ text: `update "issueLease" set ${back} where id = $1`, values: [id] });
  return async () => (await space.gql(`{ issue(id: "${id}") { lease { fence } } }`)).issue.lease === null;
}

describe("jobs at intervals", () => {
  it("run on a server with JOBS=on, and on no other", async () => {
    const idle = await startServer({ JOBS: "off" });
    const ended = await over(await createWorkspaceIn(await createOrganization(idle)), idle.runtime);
    // Three times the pause between two runs of the job.
    await sleep(6_000);
    expect(await ended(), "JOBS=off").to.equal(false);
    await idle.close();

    const busy = await startServer({ JOBS: "on" });
    const ends = await over(await createWorkspaceIn(await createOrganization(busy)), busy.runtime);
    for (const began = performance.now(); !(await ends()); await sleep(100)) {
      expect(performance.now() - began, "ms past its end").to.be.lessThan(20_000);
    }
    await busy.close();
  }).timeout(60_000);
});
