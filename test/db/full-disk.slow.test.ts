import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { startOwnServer } from "../support/own-server.ts";
import { createOrganization, logLines } from "../support/server.ts";
import { createWorkspaceIn } from "../support/workspace.ts";

/** Raises the error of PostgreSQL for a file that cannot grow. */
const FULL = `create function is_full() returns trigger language plpgsql as $$ begin
  raise exception using errcode = '53100', message = 'could not extend file "base/5/1259": No space left on device';
end $$`;

describe("a full disk", () => {
  let app: App;
  let end: () => Promise<void>;

  before(async () => {
    ({ app, end } = await startOwnServer());
  });

  after(() => end());

  it("makes the server respond with 503 and Retry-After, and is logged once", async () => {
    const space = await createWorkspaceIn(await createOrganization(app));
    const { db } = app.runtime;
    await db.query({ text: FULL });
    await db.query({
      text: "create trigger disk_is_full before insert on issue for each row execute function is_full()",
    });
    const logged = logLines.length;
    const named = () => logLines.slice(logged).filter((line) => line.includes("The disk of the database is full"));
    const counts: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { errors } = await space.graphql(
        "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }",
        { input: { teamId: space.teamId, title: "One" } },
      );
      expect(errors?.[0]?.message).not.to.match(/disk|space/);
      expect(errors?.[0]?.extensions).to.include({ code: "UNAVAILABLE", retryAfter: 30 });
      counts.push(named().length);
    }
    // Each server of this process is notified once, regardless of the number of errors.
    expect(counts[0]).to.be.at.least(1);
    expect(new Set(counts).size).to.equal(1);
    expect(named()[0]).to.include("No space left on device");
  });
});
