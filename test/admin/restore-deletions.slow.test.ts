import { randomUUID } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type Database, openDatabase } from "../../db/open.ts";
import type { Part } from "../../server/admin/backup/dump.ts";
import { readBackup } from "../../server/admin/backup/lines.ts";
import { restore } from "../../server/admin/backup/restore.ts";
import { writeBackup } from "../../server/admin/backup-file.ts";
import { runCommand } from "../../server/admin/commands.ts";
import type { App } from "../../server/app.ts";
import { countRecorded } from "../../server/jobs/analytics.ts";
import { writeFileWhole } from "../../server/whole-file.ts";
import { freshDatabase } from "../support/db/postgres.ts";
import { tablesWith } from "../support/db/tables-with.ts";
import { type Guest, joined } from "../support/members.ts";
import { ownServer } from "../support/own-server.ts";
import { anEvent } from "../support/recording/ingest.ts";
import { record, recordings } from "../support/recording/recordings.ts";
import { freshOrganization } from "../support/server.ts";
import { type Workspace, workspaceOf } from "../support/workspace.ts";

describe("a restore of a backup that is older than a deletion", function () {
  this.timeout(180_000);
  const [gone, kept] = ["gone", "kept"].map((word) => `zq${randomUUID().slice(0, 8)}${word}`) as [string, string];
  let folder: string;
  let app: App;
  let space: Workspace;
  let guest: Guest;
  let end: () => Promise<void>;

  const file = (name: string) => join(folder, name);
  const backup = (name: string, part: Part) =>
    writeFileWhole(file(name), (target) => writeBackup(app.runtime.db, app.runtime.secret, target, part));

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "trackway-deletions-"));
    ({ app, end } = await ownServer());
    space = await workspaceOf(await freshOrganization(app));
    for (const each of recordings(gone)) await record(space, each);
    const body = { session_id: randomUUID(), user_data: { user_id: `user-${gone}` } };
    await record(space, { path: "/api/v1/capture-session", body });
    const sessions = (await space.gql("{ recordedSessions(first: 100) { nodes { id } } }")).recordedSessions.nodes;
    await record(space, { path: "/api/v1/capture-event", body: anEvent({ args: kept }) });
    guest = await joined(space);
    const elsewhere = await workspaceOf(await freshOrganization(app));
    const author = { name: "Mona Member", email: guest.email };
    const issue = {
      externalId: "old-1",
      team: "ENG",
      title: "Old",
      createdAt: "2020-02-03T04:05:06Z",
      creator: author,
    };
    await elsewhere.does("issueBatchImport", { input: { source: "site", rows: [{ issue }] } }, "results { status }");
    await guest.rest("POST", "/api/api-keys", { label: "hers" });
    await countRecorded(app.runtime);
    await backup("old", "all");
    await runCommand(app.runtime, ["delete-account", guest.email, guest.email]);
    const ids = sessions.map(({ id }: { id: string }) => id).filter((id: string) => id !== body.session_id);
    await space.does("recordedSessionsDelete", { ids }, "sessions complete");
    await space.does("recordedUserDelete", { id: `user-${gone}` }, "complete");
    await backup("deletions", "deletions");
    await backup("later", "all");
  });
  after(async () => end());

  /** Restores the old backup; answers the tables that hold a text of what was deleted, and of what was not. */
  async function restored(later: string | undefined, look = async (_: Database) => {}) {
    const fresh = process.env["TEST_DATABASE_URL"] ? await freshDatabase() : undefined;
    const db = await openDatabase({ dataDir: file(randomUUID()), url: fresh?.url, poolSize: 2 });
    try {
      const deletions = later === undefined ? undefined : readBackup(file(later));
      await restore(db, readBackup(file("old")), app.runtime.secret, deletions);
      await look(db);
      return [await tablesWith(gone, db), await tablesWith(kept, db)];
    } finally {
      await db.close();
      await fresh?.drop();
    }
  }

  it("brings back what was deleted, unless it is given the deletions", async () => {
    const persons: string[][] = [];
    const person = async (db: Database) => {
      for (const text of [guest.email, "Mona Member"]) persons.push(await tablesWith(text, db));
      const keys = `select label from "apiKey" where "organizationId" = $1 and "userId" = $2`;
      const values = [space.organizationId, guest.id];
      persons.push((await db.query<{ label: string }>({ text: keys, values })).map(({ label }) => label));
    };
    const [without] = await restored(undefined, person);
    expect(without).to.include.members(["recorded_event", "recorded_user", "recorded_failure_group"]);
    let tombstones = 0;
    const count = async (db: Database) => {
      const text = "select hash from recorded_tombstone where organization_id = $1";
      tombstones = (await db.query({ text, values: [space.organizationId] })).length;
      await person(db);
    };
    expect(await restored("deletions", count)).to.deep.equal([[], ["recorded_event"]]);
    expect(tombstones, "what arrives later is refused").to.be.above(5);
    const [address, name, keys, ...afterwards] = persons;
    expect(address).to.include.members(["account", "audit", "change", "externalUser", "invitation", "user"]);
    expect(name).to.have.members(["account", "change", "externalUser", "user"]);
    expect(keys).to.deep.equal(["hers"]);
    expect(afterwards).to.deep.equal([[], [], []]);
    expect(await restored("later")).to.deep.equal([[], ["recorded_event"]]);
  });

  it("needs no deletions for a backup that was made since, which holds none of it", async () => {
    expect(await tablesWith(gone, app.runtime.db)).to.deep.equal([]);
    for await (const line of readBackup(file("later"))) expect(line).not.to.contain(gone);
    for await (const line of readBackup(file("deletions"))) expect(line).not.to.contain(gone);
  });
});
