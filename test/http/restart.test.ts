import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { anEvent } from "../support/recording/ingest.ts";
import { call, freshOrganization, sendGraphQL, startServer } from "../support/server.ts";
import { workspaceOf } from "../support/workspace.ts";

const folder = () => mkdtempSync(join(tmpdir(), "trackway-restart-"));

describe("a server that starts again", () => {
  it("finds all that was acknowledged before it was killed, and goes on with the change log", async () => {
    const [running, killed] = [folder(), folder()];
    copyEmptyDatabase(running);
    const first = await startServer({ DATA_DIR: running });
    const space = await workspaceOf(await freshOrganization(first));
    const issue = await space.issue({ title: "Kept" });
    await space.does("commentCreate", { input: { issueId: issue.id, body: "Kept too" } });
    const event = anEvent({ args: "a recorded call" });
    const send = (url: string, body: object) =>
      call(url, "POST", "/api/v1/capture-event", { body, headers: { "x-api-key": space.ingestKey } });
    expect((await send(first.url, event)).status).to.equal(200);
    const [before, log] = [await space.last(), await space.log()];
    // A killed process leaves its files as they are and closes none of them.
    cpSync(running, killed, { recursive: true, filter: (path) => !path.endsWith(".sock") });

    const { url } = await startServer({ DATA_DIR: killed });
    const ask = async (query: string) => (await sendGraphQL(url, space.apiKey, { query })).data;
    const shown = `{ issue(id: "${issue.id}") { title comments { nodes { body } } }
      recordedSession(id: "${event.session_id}") { events { nodes { args } } }
      changes(after: 0, first: 100) { nodes { lastSyncId entityId event } } }`;
    const read = await ask(shown);
    expect(read.issue).to.deep.equal({ title: "Kept", comments: { nodes: [{ body: "Kept too" }] } });
    expect(read.recordedSession.events.nodes).to.deep.equal([{ args: "a recorded call" }]);
    const known = log.map(({ lastSyncId, entityId, event: name }) => ({ lastSyncId, entityId, event: name }));
    expect(read.changes.nodes.slice(0, known.length)).to.deep.equal(known);
    const { email, password, refreshToken } = space;
    expect((await call(url, "POST", "/api/auth/refresh", { body: { refreshToken } })).status, "login").to.equal(200);
    expect((await call(url, "POST", "/api/auth/login", { body: { email, password } })).status).to.equal(200);
    expect((await send(url, event)).body, "the event again").to.include({ event_id: event.event_id });
    const { issueUpdate } = await ask(
      `mutation { issueUpdate(id: "${issue.id}", input: { priority: 1 }) { success lastSyncId } }`,
    );
    expect(issueUpdate.lastSyncId).to.be.greaterThan(before);
  });
});
