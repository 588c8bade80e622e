import { expect } from "chai";
import pg from "pg";
import { foldLockKey } from "../../server/ingest/observe/project/transaction.ts";
import { describeOnPostgres } from "../support/db/postgres.ts";
import { connectSharedClient } from "../support/mcp.ts";
import { postHook } from "../support/recording/observed-sessions.ts";
import { createOrganization, sendGraphQL, startSharedServer, type Tenant, waitUntilFolded } from "../support/server.ts";

const QUERY = "{ recordedSessions { nodes { id } } }";
const TURN = { hook_event_name: "UserPromptSubmit", session_id: "s", prompt_id: "p", prompt: "Hello" };

const read = ({ url, apiKey }: Tenant) => sendGraphQL(url, apiKey, { query: QUERY });

/** Posts a prompt that the server cannot fold yet, and expects the API and MCP to report the delay. */
async function expectBehind(tenant: Tenant): Promise<void> {
  const { client } = await connectSharedClient(tenant, { "x-mcp-toolsets": "all", "x-api-key": tenant.ingestKey });
  await postHook(tenant, "claude-code", TURN);
  const behind = { extensions: { behind: true }, data: { recordedSessions: { nodes: [] } } };
  expect(await read(tenant)).to.deep.include(behind);
  const { content } = await client.callTool({ name: "list_sessions", arguments: {} });
  expect((content as { text: string }[])[1]?.text).to.include("newest recorded events may be missing");
}

async function expectAll(tenant: Tenant): Promise<void> {
  await waitUntilFolded((await startSharedServer()).runtime, tenant.organizationId);
  const { extensions, data } = await read(tenant);
  expect([extensions, data?.["recordedSessions"].nodes.length]).to.deep.equal([undefined, 1]);
}

describeOnPostgres("a read while a fold is delayed", () => {
  it("responds within about a second and reports that it is behind; a later read returns all events", async () => {
    const tenant = await createOrganization();
    const database = new pg.Client(String(process.env["TEST_DATABASE_URL"]));
    await database.connect();
    try {
      await database.query(`select pg_advisory_lock(${foldLockKey(tenant.organizationId)})`);
      await expectBehind(tenant);
    } finally {
      await database.end();
    }
    await expectAll(tenant);
  });
});

describe("a read while the database refuses a fold", () => {
  it("reports that it is behind; a later read returns all events, on both engines", async () => {
    const tenant = await createOrganization();
    const { db } = (await startSharedServer()).runtime;
    const text = `create function refuse_fold() returns trigger language plpgsql as $$ begin
      raise exception 'a lock is held' using errcode = 'lock_not_available'; end $$`;
    await db.query({ text });
    try {
      await db.query({
        text: `create trigger refuse_fold before insert on recorded_event for each row
          when (new.organization_id = '${tenant.organizationId}') execute function refuse_fold()`,
      });
      await expectBehind(tenant);
    } finally {
      await db.query({ text: "drop function refuse_fold() cascade" });
    }
    await expectAll(tenant);
  });
});
