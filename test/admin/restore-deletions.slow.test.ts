import { randomUUID } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type Database, openDatabase } from "../../db/open.ts";
import type { BackupScope } from "../../server/admin/backup/dump.ts";
import { readBackup } from "../../server/admin/backup/lines.ts";
import { restoreBackup } from "../../server/admin/backup/restore.ts";
import { writeBackup } from "../../server/admin/backup-file.ts";
import { runCommand } from "../../server/admin/commands.ts";
import type { App } from "../../server/app.ts";
import { updateHourAndGroupCounts } from "../../server/jobs/analytics.ts";
import { writeFileAtomically } from "../../server/whole-file.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { findTablesWith } from "../support/db/tables-with.ts";
import { type Guest, inviteGuest } from "../support/members.ts";
import { startOwnServer } from "../support/own-server.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { createRecordings, sendRecording } from "../support/recording/recordings.ts";
import { createOrganization } from "../support/server.ts";
import { createWorkspaceIn, type Workspace } from "../support/workspace.ts";

/** Number of rows that a restore deleted again, by kind. */
type Deleted = ReadonlyMap<string, number>;

describe("restoring a backup that is older than a deletion", () => {
  const [gone, kept] = ["gone", "kept"].map((word) => `zq${randomUUID().slice(0, 8)}${word}`) as [string, string];
  let folder: string;
  let app: App;
  let space: Workspace;
  let guest: Guest;
  let end: () => Promise<void>;
  let ended: Workspace;

  const file = (name: string) => join(folder, name);
  const backup = (name: string, part: BackupScope) =>
    writeFileAtomically(file(name), (target) => writeBackup(app.runtime.db, app.runtime.secret, target, part));

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "trackway-deletions-"));
    ({ app, end } = await startOwnServer());
    space = await createWorkspaceIn(await createOrganization(app));
    for (const each of createRecordings(gone)) await sendRecording(space, each);
    const body = { session_id: randomUUID(), user_data: { user_id: `user-${gone}` } };
    await sendRecording(space, { path: "/api/v1/capture-session", body });
    const sessions = (await space.gql("{ recordedSessions(first: 100) { nodes { id } } }")).recordedSessions.nodes;
    await sendRecording(space, { path: "/api/v1/capture-event", body: createEvent({ args: kept }) });
    guest = await inviteGuest(space);
    const elsewhere = await createWorkspaceIn(await createOrganization(app));
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
    ended = await createWorkspaceIn(await createOrganization(app));
    await ended.issue({ title: "Of the organization that ends" });
    await sendRecording(ended, { path: "/api/v1/capture-event", body: createEvent({ args: gone }) });
    await updateHourAndGroupCounts(app.runtime);
    await backup("old", "all");
    await runCommand(app.runtime, ["delete-organization", ended.urlKey, ended.urlKey]);
    await runCommand(app.runtime, ["delete-account", guest.email, guest.email]);
    const ids = sessions.map(({ id }: { id: string }) => id).filter((id: string) => id !== body.session_id);
    await space.does("recordedSessionsDelete", { ids }, "sessions complete");
    await space.does("recordedUserDelete", { id: `user-${gone}` }, "complete");
    await backup("deletions", "deletions");
    await backup("later", "all");
  });
  after(async () => end());

  /** Restores the old backup. Returns the tables that contain text that was deleted, and text that was not. */
  async function restored(later: string | undefined, look = async (_: Database, _deleted: Deleted) => {}) {
    const fresh = process.env["TEST_DATABASE_URL"] ? await createDatabase() : undefined;
    const db = await openDatabase({ dataDir: file(randomUUID()), url: fresh?.url, poolSize: 2 });
    try {
      const deletions = later === undefined ? undefined : readBackup(file(later));
      const { deleted } = await restoreBackup(db, readBackup(file("old")), app.runtime.secret, deletions);
      await look(db, deleted);
      return [await findTablesWith(gone, db), await findTablesWith(kept, db)];
    } finally {
      await db.close();
      await fresh?.drop();
    }
  }

  it("restores deleted data, unless the deletions are given", async () => {
    const persons: string[][] = [];
    const person = async (db: Database) => {
      for (const text of [guest.email, "Mona Member"]) persons.push(await findTablesWith(text, db));
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

  it("restores a deleted organization with its rows, unless the deletions are given", async () => {
    const found: unknown[] = [];
    const look = async (db: Database, deleted: Deleted) =>
      void found.push(deleted.get("organization"), await findTablesWith(ended.organizationId, db));
    for (const later of [undefined, "deletions", "later"]) await restored(later, look);
    const [none, without, ...withDeletions] = found;
    expect(none).to.equal(undefined);
    expect(without).to.include.members(["apiKey", "change", "issue", "organization", "recorded_event", "user"]);
    expect(withDeletions).to.deep.equal([1, ["deletedOrganization"], 1, ["deletedOrganization"]]);
  });

  it("needs no deletions for a later backup, which contains none of the data", async () => {
    expect(await findTablesWith(gone, app.runtime.db)).to.deep.equal([]);
    for await (const line of readBackup(file("later"))) expect(line).not.to.contain(gone);
    for await (const line of readBackup(file("deletions"))) expect(line).not.to.contain(gone);
  });
});
