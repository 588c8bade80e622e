import { expect } from "chai";
import type { App } from "../server/app.ts";
import { freshDatabase } from "./support/postgres.ts";
import { freshOrganization, logLines, startServer } from "./support/server.ts";
import { workspaceOf } from "./support/workspace.ts";

/** What PostgreSQL raises when it cannot make a file longer. */
const FULL = `create function is_full() returns trigger language plpgsql as $$ begin
  raise exception using errcode = '53100', message = 'could not extend file "base/5/1259": No space left on device';
end $$`;

describe("a full disk", function () {
  this.timeout(60_000);
  let app: App;
  let fresh: Awaited<ReturnType<typeof freshDatabase>> | undefined;

  before(async () => {
    fresh = process.env["TEST_DATABASE_URL"] ? await freshDatabase() : undefined;
    app = await startServer(fresh && { DATABASE_URL: fresh.url });
  });

  after(async () => {
    await app.close();
    await fresh?.drop();
  });

  it("is 503 with Retry-After to callers, and named in the server's log once", async () => {
    const space = await workspaceOf(await freshOrganization(app));
    const { db } = app.runtime;
    await db.query({ text: FULL });
    await db.query({ text: "create trigger full before insert on issue for each row execute function is_full()" });
    const logged = logLines.length;
    for (let n = 0; n < 3; n += 1) {
      const { errors } = await space.graphql(
        "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }",
        { input: { teamId: space.teamId, title: "One" } },
      );
      expect(errors?.[0]?.message).to.equal("The database is unavailable: its disk is full");
      expect(errors?.[0]?.extensions).to.include({ status: 503, retryAfter: 30 });
    }
    const lines = logLines.slice(logged).filter((line) => line.includes("The disk of the database is full"));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include("No space left on device");
  });
});
