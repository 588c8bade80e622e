import { randomUUID } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type Database, openDatabase } from "../../db/open.ts";
import { listTables, quoteName } from "../../db/statements/tables.ts";
import { COLUMNS_RESET_BY_RESTORE, TABLES_EMPTIED_BY_RESTORE } from "../../server/admin/backup/derived.ts";
import { readBackup } from "../../server/admin/backup/lines.ts";
import { parseBackupMarker, restoreBackup } from "../../server/admin/backup/restore.ts";
import { writeBackup } from "../../server/admin/backup-file.ts";
import { COMMANDS, runCommand } from "../../server/admin/commands.ts";
import type { App } from "../../server/app.ts";
import { routes } from "../../server/control/routes.ts";
import { removeDeletedRecordings } from "../../server/jobs/deletion.ts";
import { JOBS } from "../../server/jobs/index.ts";
import { refillSqlByTable } from "../../server/resources/index.ts";
import { writeFileAtomically } from "../../server/whole-file.ts";
import { connectOauthApp } from "../support/accounts/oauth.ts";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { MUTATION_SAMPLES } from "../support/graphql/mutations.ts";
import { inviteGuest } from "../support/members.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { createRecordings, sendRecording } from "../support/recording/recordings.ts";
import { buildSpansRequest } from "../support/recording/telemetry.ts";
import { createOrganization, startSharedServer, waitUntilFolded } from "../support/server.ts";
import { createWorkspaceIn, performMutation, type Workspace } from "../support/workspace.ts";

/** Way to delete, in a separate organization. */
type Deletion = (space: Workspace, app: App) => Promise<unknown>;

const made = async (space: Workspace, path: string, body: object, member = "id"): Promise<string> => {
  const reply = (await space.rest("POST", path, body)).body;
  const nested = Object.values(reply).find(
    (each): each is { id: string } => typeof each === "object" && each !== null && "id" in each,
  );
  return String(reply[member] ?? nested?.id);
};

/** Every route that deletes, by path. */
const REST: Readonly<Record<string, Deletion>> = {
  "/api/api-keys/:id": async (space) =>
    space.rest("DELETE", `/api/api-keys/${await made(space, "/api/api-keys", { label: "x" })}`),
  "/api/ingest-keys/:id": async (space) =>
    space.rest("DELETE", `/api/ingest-keys/${await made(space, "/api/ingest-keys", { name: "x" })}`),
  "/api/agents/:id": async (space) =>
    space.rest("DELETE", `/api/agents/${await made(space, "/api/agents", { name: "Robot" })}`),
  "/api/invitations/:id": async (space) =>
    space.rest(
      "DELETE",
      `/api/invitations/${await made(space, "/api/invitations", { email: `${randomUUID()}@example.com` })}`,
    ),
  "/api/members/:id": async (space) => space.rest("DELETE", `/api/members/${(await inviteGuest(space)).id}`),
  "/api/connections/:id": async (space) => {
    await connectOauthApp(space);
    const { connections } = (await space.rest("GET", "/api/connections")).body as { connections: { id: string }[] };
    return space.rest("DELETE", `/api/connections/${connections[0]?.id}`);
  },
  "/api/mail-server": async (space) => {
    await space.rest("PATCH", "/api/mail-server", {
      host: "127.0.0.1",
      port: 2525,
      security: "none",
      from: "x@example.com",
    });
    return space.rest("DELETE", "/api/mail-server");
  },
  "/api/webhooks/:id": async (space) => {
    const webhook = { url: "https://example.com/hook", resourceTypes: [] };
    const created = await space.does("webhookCreate", { input: webhook }, "webhook { id }");
    return space.rest("DELETE", `/api/webhooks/${created.webhook.id}`);
  },
  "/api/oidc": (space) => space.rest("DELETE", "/api/oidc"),
};

/** Admin commands that delete. */
const COMMANDS_THAT_DELETE: Readonly<Record<string, Deletion>> = {
  "delete-account": async (space, app) => {
    const { email } = await inviteGuest(space);
    return runCommand(app.runtime, ["delete-account", email, email]);
  },
  "delete-organization": async (_space, app) => {
    const gone = await createWorkspaceIn(await createOrganization(app));
    for (const each of createRecordings("gone")) await sendRecording(gone, each);
    return runCommand(app.runtime, ["delete-organization", gone.urlKey, gone.urlKey]);
  },
  revoke: async (space, app) => runCommand(app.runtime, ["revoke", (await inviteGuest(space)).email]),
};

const hook = (space: Workspace, ingestKey: string, session: string) =>
  sendRecording(
    { ...space, ingestKey },
    {
      path: "/api/v1/hooks/claude-code",
      body: { hook_event_name: "UserPromptSubmit", session_id: session, prompt: "Do it." },
    },
  );

/** Deletions of recorded data. Recording continues afterwards. */
const RECORDED: Readonly<Record<string, Deletion>> = {
  "a session": async (space, app) => {
    for (const each of createRecordings("one")) await sendRecording(space, each);
    await waitUntilFolded(app.runtime, space.organizationId);
    const { nodes } = (await space.gql("{ recordedSessions(first: 3) { nodes { id } } }")).recordedSessions;
    await space.does("recordedSessionsDelete", { ids: nodes.map(({ id }: { id: string }) => id) }, "sessions complete");
  },
  "a user whose name a key has, twice, while the key goes on recording": async (space, app) => {
    const { body } = await space.rest("POST", "/api/ingest-keys", { name: "prod" });
    const key = String(body["key"]);
    for (let round = 0; round < 2; round += 1) {
      await hook(space, key, `before ${round}`);
      if (round === 0)
        await sendRecording(space, {
          path: "/api/v1/capture-session",
          body: { session_id: randomUUID(), user_data: { user_id: "prod" } },
        });
      await waitUntilFolded(app.runtime, space.organizationId);
      await space.does("recordedUserDelete", { id: "prod" }, "complete");
      const named = { session_id: randomUUID(), user_data: { user_id: "prod" } };
      expect((await sendRecording(space, { path: "/api/v1/capture-session", body: named })).status).to.equal(410);
      await hook(space, key, `after ${round}`);
      await waitUntilFolded(app.runtime, space.organizationId);
      const { nodes } = (await space.gql("{ recordedSessions { nodes { externalId user { id } } } }")).recordedSessions;
      const own = nodes.filter(({ user }: { user: object | null }) => user !== null);
      expect(own).to.deep.equal([{ externalId: `after ${round}`, user: { id: "prod" } }]);
      if (round === 0) await space.does("recordedUserDelete", { id: "prod" }, "complete");
    }
  },
  "a user of whom reports are still to be folded": async (space, app) => {
    const report = (trace: number) => {
      const at = { "gen_ai.operation.name": "chat", "gen_ai.conversation.id": `c${trace}`, "user.id": "late" };
      return sendRecording(space, { path: "/v1/traces", body: buildSpansRequest([{ id: trace, trace, at }]) });
    };
    await report(1);
    await waitUntilFolded(app.runtime, space.organizationId);
    for (let trace = 2; trace < 6; trace += 1) await report(trace);
    await space.does("recordedUserDelete", { id: "late" }, "complete");
    await waitUntilFolded(app.runtime, space.organizationId);
    await removeDeletedRecordings(app.runtime);
    const { nodes } = (await space.gql("{ recordedSessions { nodes { user { id } } } }")).recordedSessions;
    expect(nodes.filter(({ user }: { user: object | null }) => user !== null)).to.deep.equal([]);
  },
  "what is old": async (space, app) => {
    for (let n = 0; n < 3; n += 1) await sendRecording(space, { path: "/api/v1/capture-event", body: createEvent() });
    await space.does("organizationUpdate", { input: { retentionSessionDays: 1 } });
    const text = `update recorded_session set timestamp = now() - interval '9 days', received_at = now() - interval '9 days',
      last_received_at = now() - interval '9 days' where organization_id = $1`;
    await app.runtime.db.query({ text, values: [space.organizationId] });
    const { id } = await space.issue();
    await space.does("issueDelete", { id });
    await space.does("teamDelete", { id: space.teamId });
    for (const table of ["issue", "team"]) {
      const trash = `update ${table} set "archivedAt" = now() - interval '40 days', "updatedAt" = now() - interval '40 days' where "organizationId" = $1`;
      await app.runtime.db.query({ text: trash, values: [space.organizationId] });
    }
  },
};

/** Reads the rows of a backup by table, without the values that a restore computes again. */
async function rowsIn(file: string): Promise<Map<string, string[]>> {
  const all = new Map<string, string[]>();
  let rows: string[] = [];
  let reset: string[] = [];
  for await (const line of readBackup(file)) {
    const mark = parseBackupMarker(line);
    if (mark?.end || line.startsWith('{"format"')) continue;
    if (mark) {
      rows = [];
      reset = Object.keys(COLUMNS_RESET_BY_RESTORE[mark.table] ?? {});
      if (!TABLES_EMPTIED_BY_RESTORE.includes(mark.table)) all.set(mark.table, rows);
    } else rows.push(JSON.stringify(JSON.parse(line), (key, value) => (reset.includes(key) ? undefined : value)));
  }
  for (const each of all.values()) each.sort();
  return all;
}

const rowsOf = async (db: Database, table: string): Promise<string[]> =>
  (
    await db.as("upkeep", () =>
      db.query<{ row: string }>({ text: `select to_json(r)::text as row from ${quoteName(table)} r` }),
    )
  )
    .map(({ row }) => row)
    .sort();

describe("restoring a backup after every kind of deletion", function () {
  this.timeout(400_000);

  it("has a case for every route and command that deletes", () => {
    const paths = routes.filter(({ method }) => method === "delete").map(({ path }) => path);
    expect(Object.keys(REST)).to.have.members(paths);
    const commands = Object.keys(COMMANDS).filter((name) => /^(delete|revoke)/.test(name));
    expect(Object.keys(COMMANDS_THAT_DELETE)).to.have.members(commands);
  });

  it("gives the same database, except for values derived from recorded events, and deletes nothing", async () => {
    const app = await startSharedServer();
    const { db, secret } = app.runtime;
    for (const [name, deletion] of Object.entries({ ...REST, ...COMMANDS_THAT_DELETE, ...RECORDED })) {
      const space = await createWorkspaceIn(await createOrganization(app));
      await sendRecording(space, { path: "/api/v1/capture-event", body: createEvent() });
      await deletion(space, app);
      const { status } = await sendRecording(space, { path: "/api/v1/capture-event", body: createEvent() });
      expect(status, name).to.be.oneOf([200, 202]);
    }
    const space = await createWorkspaceIn(await createOrganization(app));
    for (const [name, sample] of Object.entries(MUTATION_SAMPLES)) {
      const { errors } = await performMutation(space, name, await sample(space));
      expect(errors, name).to.equal(undefined);
    }
    await waitUntilFolded(app.runtime, space.organizationId);
    for (const { work } of Object.values(JOBS)) await db.as("upkeep", async () => work(app.runtime));
    await space.gql("{ viewer { id } }");

    const folder = await mkdtemp(join(tmpdir(), "trackway-equal-"));
    const [first, second] = ["first", "second"].map((name) => join(folder, name)) as [string, string];
    await writeFileAtomically(first, (target) => writeBackup(db, secret, target));
    const fresh = process.env["TEST_DATABASE_URL"] ? await createDatabase() : undefined;
    if (!fresh) copyEmptyDatabase(join(folder, "data"));
    const other = await openDatabase({ dataDir: join(folder, "data"), url: fresh?.url, poolSize: 2 });
    try {
      const { deleted } = await restoreBackup(other, readBackup(first), secret);
      expect(Object.fromEntries(deleted)).to.deep.equal({});
      await writeFileAtomically(second, (target) => writeBackup(other, secret, target));
      const [before, after] = [await rowsIn(first), await rowsIn(second)];
      expect([...after.keys()]).to.deep.equal([...before.keys()]);
      for (const [table, rows] of before) expect(after.get(table), table).to.deep.equal(rows);
      const known = (await listTables((text, values = []) => db.query({ text, values }), [])).map(({ name }) => name);
      expect(known).to.include.members([
        ...TABLES_EMPTIED_BY_RESTORE,
        ...Object.keys(COLUMNS_RESET_BY_RESTORE),
        ...refillSqlByTable.keys(),
      ]);
      for (const table of refillSqlByTable.keys())
        expect(await rowsOf(other, table), table).to.deep.equal(await rowsOf(db, table));
    } finally {
      await other.close();
      await fresh?.drop();
    }
  });
});
