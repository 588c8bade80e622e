import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { runCommand } from "../../server/admin/commands.ts";
import type { App } from "../../server/app.ts";
import { tablesWith } from "../support/db/tables-with.ts";
import { joined } from "../support/members.ts";
import { ownServer } from "../support/own-server.ts";
import { anEvent } from "../support/recording/ingest.ts";
import { record } from "../support/recording/recordings.ts";
import { freshOrganization } from "../support/server.ts";
import { type Workspace, workspaceOf } from "../support/workspace.ts";

describe("what an operator deletes", function () {
  this.timeout(240_000);
  let app: App;
  let end: () => Promise<void>;
  let space: Workspace;
  const run = (...args: string[]): Promise<string> =>
    runCommand(app.runtime, args).catch((error: Error) => `refused: ${error.message}`);

  before(async () => {
    ({ app, end } = await ownServer());
    space = await workspaceOf(await freshOrganization(app));
  });
  after(async () => end());

  it("is an account with its name and address, while what it wrote stays", async () => {
    const guest = await joined(space);
    const tables = () => tablesWith(guest.email, app.runtime.db);
    const name = "Mona Member";
    const author = { name, email: guest.email };
    const elsewhere = await workspaceOf(await freshOrganization(app));
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
    // Another address ends with this one, and stays.
    expect(await tables()).to.have.members(["audit", "invitation"]);
    expect(await tablesWith(name, app.runtime.db)).to.deep.equal([]);
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

  it("is no account that alone owns an organization", async () => {
    expect(await run("delete-account", space.email, space.email)).to.match(/^refused: .* is the only owner of/);
  });

  it("is gone from the files of the embedded database after purge-files", async () => {
    const mark = `zq${randomUUID()}`;
    const body = anEvent({ args: mark, result: mark.repeat(50) });
    await record(space, { path: "/api/v1/capture-event", body });
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
