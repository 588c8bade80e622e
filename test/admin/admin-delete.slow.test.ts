import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { runCommand } from "../../server/admin/commands.ts";
import type { App } from "../../server/app.ts";
import { findTablesWith } from "../support/db/tables-with.ts";
import { inviteGuest } from "../support/members.ts";
import { startOwnServer } from "../support/own-server.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { sendRecording } from "../support/recording/recordings.ts";
import { createOrganization } from "../support/server.ts";
import { createWorkspaceIn, type Workspace } from "../support/workspace.ts";

describe("deletion by an operator", () => {
  let app: App;
  let end: () => Promise<void>;
  let space: Workspace;
  const run = (...args: string[]): Promise<string> =>
    runCommand(app.runtime, args).catch((error: Error) => `refused: ${error.message}`);

  before(async () => {
    ({ app, end } = await startOwnServer());
    space = await createWorkspaceIn(await createOrganization(app));
  });
  after(async () => end());

  it("removes an account with its name and address, and keeps its contributions", async () => {
    const guest = await inviteGuest(space);
    const tables = () => findTablesWith(guest.email, app.runtime.db);
    const name = "Mona Member";
    const author = { name, email: guest.email };
    const elsewhere = await createWorkspaceIn(await createOrganization(app));
    const issue = {
      externalId: "old-1",
      team: "ENG",
      title: "Old",
      createdAt: "2020-02-03T04:05:06Z",
      creator: author,
      assignee: { name: "Max Elsewhere" },
    };
    await elsewhere.does("issueBatchImport", { input: { source: "site", rows: [{ issue }] } }, "results { status }");
    await space.rest("POST", "/api/invitations", { email: `not-${guest.email}` });
    const query = 'mutation { teamUpdate(id: "ENG", input: { description: "By Mona" }) { success } }';
    const headers = { Authorization: `Bearer ${guest.accessToken}`, "Content-Type": "application/json" };
    await fetch(`${space.url}/graphql`, { method: "POST", headers, body: JSON.stringify({ query }) });
    expect(await tables()).to.include.members(["account", "change", "user"]);
    expect(await run("delete-account", guest.email)).to.match(/^refused: this deletes/);
    expect(await run("delete-account", guest.email, guest.email)).to.contain("is deleted");
    // Another address ends with this address, and stays.
    expect(await tables()).to.have.members(["audit", "invitation"]);
    expect(await findTablesWith(name, app.runtime.db)).to.deep.equal([]);
    const { externalUsers } = await elsewhere.gql("{ externalUsers { nodes { name } } }");
    expect(externalUsers.nodes.map((each: { name: string }) => each.name)).to.have.members([
      "Deleted user",
      "Max Elsewhere",
    ]);
    expect((await guest.rest("GET", "/api/members")).status).to.equal(401);
    const { users } = await space.gql(`{ users(includeArchived: true) { nodes { id name active } } }`);
    expect(users.nodes).to.deep.include({ id: guest.id, name: "Deleted user", active: false });
    expect((await space.gql('{ team(id: "ENG") { description } }')).team.description).to.equal("By Mona");
  });

  it("refuses an account that is the only owner of an organization", async () => {
    expect(await run("delete-account", space.email, space.email)).to.match(/^refused: .* is the only owner of/);
  });

  it("removes the account from the files of the embedded database with purge-files", async () => {
    const mark = `zq${randomUUID()}`;
    const body = createEvent({ args: mark, result: mark.repeat(50) });
    await sendRecording(space, { path: "/api/v1/capture-event", body });
    await space.does("recordedSessionDelete", { id: body.session_id }, "complete");
    const inFiles = () => {
      const folder = join(app.runtime.config.DATA_DIR, "database");
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const paths = files.map((entry) => join(entry.parentPath, entry.name));
      return paths.filter((path) => readFileSync(path).includes(mark));
    };
    const isEmbedded = app.runtime.db.engine === "embedded";
    if (isEmbedded) expect(inFiles()).not.to.deep.equal([]);
    expect(await run("purge-files")).to.contain("tables were written anew");
    if (isEmbedded) expect(inFiles()).to.deep.equal([]);
  });
});
