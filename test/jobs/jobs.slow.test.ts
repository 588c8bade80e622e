import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { earlier } from "../support/db/database.ts";
import { freshOrganization, startServer } from "../support/server.ts";
import { freshAgent } from "../support/tracker/work.ts";
import { type Workspace, workspaceOf } from "../support/workspace.ts";

/** An issue whose lease is over. */
async function over(space: Workspace, { db }: App["runtime"]): Promise<() => Promise<boolean>> {
  const agent = await freshAgent(space);
  const { id } = await space.issue();
  await agent.claim({ id });
  const moments = ["grantedAt", "renewedAt", "expiresAt", "checkAt"];
  const back = moments.map((name) => `"${name}" = ${earlier(`"${name}"`, "interval '1 hour'")}`).join(", ");
  await db.query({ text: `update "issueLease" set ${back} where id = $1`, values: [id] });
  return async () => (await space.gql(`{ issue(id: "${id}") { lease { fence } } }`)).issue.lease === null;
}

describe("work that is done at intervals", () => {
  it("is done by a server that has JOBS=on, and by no other", async () => {
    const idle = await startServer({ JOBS: "off" });
    const ended = await over(await workspaceOf(await freshOrganization(idle)), idle.runtime);
    // Three times as long as a server rests that does it.
    await sleep(6_000);
    expect(await ended(), "JOBS=off").to.equal(false);
    await idle.close();

    const busy = await startServer({ JOBS: "on" });
    const ends = await over(await workspaceOf(await freshOrganization(busy)), busy.runtime);
    for (const began = performance.now(); !(await ends()); await sleep(100)) {
      expect(performance.now() - began, "ms past its end").to.be.lessThan(20_000);
    }
    await busy.close();
  }).timeout(60_000);
});
