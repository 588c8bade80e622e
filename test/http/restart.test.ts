import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { callRestApi, createOrganization, sendGraphQL, startServer } from "../support/server.ts";
import { createWorkspaceIn } from "../support/workspace.ts";

const folder = () => mkdtempSync(join(tmpdir(), "trackway-restart-"));

describe("a server restarted after a kill", () => {
  it("has all acknowledged writes, and continues the change log", async () => {
    const [running, killed] = [folder(), folder()];
    copyEmptyDatabase(running);
    const first = await startServer({ DATA_DIR: running });
    const space = await createWorkspaceIn(await createOrganization(first));
    const issue = await space.issue({ title: "Kept" });
    await space.does("commentCreate", { input: { issueId: issue.id, body: "Kept too" } });
    const event = createEvent({ args: "a recorded call" });
    const send = (url: string, body: object) =>
      callRestApi(url, "POST", "/api/v1/capture-event", { body, headers: { "x-api-key": space.ingestKey } });
    expect((await send(first.url, event)).status).to.equal(200);
    const [before, log] = [await space.last(), await space.log()];
    // Copies the files of the running server, because a killed process leaves its files in this state.
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
    expect((await callRestApi(url, "POST", "/api/auth/refresh", { body: { refreshToken } })).status, "login").to.equal(
      200,
    );
    expect((await callRestApi(url, "POST", "/api/auth/login", { body: { email, password } })).status).to.equal(200);
    expect((await send(url, event)).body, "the event again").to.include({ event_id: event.event_id });
    const { issueUpdate } = await ask(
      `mutation { issueUpdate(id: "${issue.id}", input: { priority: 1 }) { success lastSyncId } }`,
    );
    expect(issueUpdate.lastSyncId).to.be.greaterThan(before);
  });
});
