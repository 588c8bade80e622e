import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { App } from "../../../server/app.ts";
import { linkIssuesToArrivedSessions } from "../../../server/jobs/mentions/arrived.ts";
import { processNewEvents } from "../../../server/jobs/mentions/new-events.ts";
import { findScannedTables } from "../../support/db/rows-read.ts";
import { startOwnServer } from "../../support/own-server.ts";
import { callRestApi, createOrganization } from "../../support/server.ts";
import { createWorkspaceIn, type Workspace } from "../../support/workspace.ts";

const MANY = 3_000;
/** Number of rows that one statement copies. */
const SLICE = 1_000;

const event = (session_id: string, args: string) => ({
  ...{ event_id: randomUUID(), session_id, primitive_name: "a", primitive_type: "agent", args, result: "" },
});

async function record({ url, ingestKey }: Workspace, events: object[]): Promise<void> {
  const headers = { "x-api-key": ingestKey };
  const { status } = await callRestApi(url, "POST", "/api/v1/capture-events", { body: { events }, headers });
  expect(status).to.be.lessThan(300);
}

/**
 * Copies an organization's rows of a table. `differing` contains SQL for the columns that depend on the copy's number
 * `n`.
 */
async function copy({ runtime: { db } }: App, table: string, tenant: string, id: string, differing: object) {
  const members = Object.entries(differing).map(([name, sql]) => `'${name}', ${sql}`);
  for (let from = 1; from < MANY; from += SLICE) {
    const made = await db.query({
      text: `insert into "${table}" select c.* from (select * from "${table}" where "${tenant}" = $1::text::uuid limit 1) r,
        generate_series($2::integer, $3) n, jsonb_populate_record(null::"${table}", to_jsonb(r) || jsonb_build_object(${members})) c returning 1`,
      values: [id, from, from + SLICE - 1],
    });
    expect(made, table).to.have.length(SLICE);
  }
}

describe("the job that links sessions to issues", () => {
  it("reads only new data, not all data of an organization", async () => {
    const { app, end } = await startOwnServer();
    const { db } = app.runtime;
    const space = await createWorkspaceIn(await createOrganization(app));
    const { organizationId: id } = space;
    const known = randomUUID();
    const { identifier } = await space.issue({ sessionId: "never comes" });
    await record(space, [event(known, "Work.")]);
    await processNewEvents(db);
    // Time of the last search, long ago, for the original and all copies.
    const past = "now() - interval '9 days'";
    await db.query({
      text: `update recorded_session set last_received_at = ${past} where organization_id = $1`,
      values: [id],
    });
    const session = "md5($1 || n)::uuid";
    await copy(app, "recorded_session", "organization_id", id, { session_id: session });
    await copy(app, "awaitedSession", "organizationId", id, { reference: "n", createdAt: past });
    for (let from = 0; from < MANY; from += 500)
      await record(
        space,
        Array.from({ length: 500 }, () => event(known, "More.")),
      );
    for (let times = 0; times < 3; times += 1) await processNewEvents(db);
    await db.query({ text: "vacuum analyze" });
    const tables = ["recorded_session", "recorded_event", "awaitedSession"];
    const walked = await findScannedTables(app, { tables, size: MANY }, async () => {
      await record(space, [event(known, `See ${identifier}.`), event(randomUUID(), `See ${identifier}.`)]);
      await processNewEvents(db);
      await linkIssuesToArrivedSessions(db);
    });
    expect(walked).to.deep.equal([]);
    await end();
  });
});
