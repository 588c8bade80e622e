import { randomUUID } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { openDatabase } from "../../db/open.ts";
import { readBackup } from "../../server/admin/backup/lines.ts";
import { restoreBackup } from "../../server/admin/backup/restore.ts";
import { writeBackup } from "../../server/admin/backup-file.ts";
import { updateHourAndGroupCounts } from "../../server/jobs/analytics.ts";
import { processNewEvents } from "../../server/jobs/mentions/new-events.ts";
import { writeFileAtomically } from "../../server/whole-file.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { startOwnServer } from "../support/own-server.ts";
import { callRestApi, createOrganization, sendGraphQL, startServer } from "../support/server.ts";
import { createWorkspaceIn } from "../support/workspace.ts";

const ANSWERS: Record<string, string> = {
  "failure groups":
    "recordedFailureGroups { incomplete nodes { id tool message count sessions users eventId hours { at count } } }",
  "links of an issue": 'issue(id: "ENG-1") { sessionLinks { incomplete nodes { kinds session { id } } } }',
  "sessions by their cost":
    "recordedSessions(sort: [{ cost: { order: Descending } }]) { incomplete nodes { id totals { events cost } issueLinks { incomplete nodes { kinds } } } }",
  "counts of issues": "teams { nodes { key issueCount } } users { nodes { createdIssueCount } }",
  histogram:
    'recordedSessionHistogram(from: "-P1D", buckets: 1) { incomplete buckets { sessions failed tokens cost } }',
  tools: 'recordedToolStats(from: "-P1D") { truncated tools { name calls failures } }',
};

/** True if a response marks any part as incomplete. */
const isIncomplete = (answer: unknown): boolean => JSON.stringify(answer).includes('"incomplete":true');

describe("a restored database", () => {
  it("returns right derived values or marks them as incomplete, and soon returns all of them", async () => {
    const { app, end } = await startOwnServer();
    const { db } = app.runtime;
    const space = await createWorkspaceIn(await createOrganization(app));
    await space.issue();
    const headers = { "x-api-key": space.ingestKey };
    const metadata = { "gen_ai.usage.cost": 0.5, "gen_ai.usage.input_tokens": 5 };
    for (let n = 0; n < 3; n += 1) {
      const session_id = randomUUID();
      const events = [
        { primitive_type: "agent", primitive_name: "Agent", args: "Do ENG-1.", result: "", metadata },
        { primitive_type: "tool", primitive_name: "Bash", args: "{}", result: "It broke", success: false, latency: 7 },
      ].map((event) => ({ event_id: randomUUID(), session_id, ...event }));
      expect(
        (await callRestApi(space.url, "POST", "/api/v1/capture-events", { body: { events }, headers })).status,
      ).to.equal(202);
    }
    await processNewEvents(db);
    await updateHourAndGroupCounts(app.runtime);
    const ask = async (url: string, query: string) =>
      (await sendGraphQL(url, space.apiKey, { query: `{ ${query} }` })).data;
    const right: Record<string, unknown> = {};
    for (const [name, query] of Object.entries(ANSWERS)) right[name] = await ask(space.url, query);
    expect(isIncomplete(right)).to.equal(false);
    expect(JSON.stringify(right)).to.contain("It broke").and.to.contain('["mentioned"]');

    const folder = await mkdtemp(join(tmpdir(), "trackway-restored-"));
    const file = join(folder, "backup");
    await writeFileAtomically(file, (target) => writeBackup(db, app.runtime.secret, target));
    await end();
    const fresh = process.env["TEST_DATABASE_URL"] ? await createDatabase() : undefined;
    const DATA_DIR = join(folder, "data");
    const empty = await openDatabase({ dataDir: DATA_DIR, url: fresh?.url, poolSize: 2 });
    await restoreBackup(empty, readBackup(file), app.runtime.secret).finally(() => empty.close());

    const restored = await startServer({ DATA_DIR, JOBS: "on", ...(fresh && { DATABASE_URL: fresh.url }) });
    const url = `http://127.0.0.1:${new URL(restored.url).port}`;
    for (let open = Object.entries(ANSWERS); open.length > 0; await sleep(200)) {
      for (const [name, query] of open) {
        const answer = await ask(url, query);
        if (isIncomplete(answer)) continue;
        expect(answer, name).to.deep.equal(right[name]);
        open = open.filter(([each]) => each !== name);
      }
    }
    await restored.close();
    await fresh?.drop();
  });
});
