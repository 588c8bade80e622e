import { expect } from "chai";
import pg from "pg";
import { foldLockOf } from "../../server/ingest/observe/project/transaction.ts";
import { describeOnPostgres } from "../support/db/postgres.ts";
import { mcpFor } from "../support/mcp.ts";
import { postHook } from "../support/recording/observed-sessions.ts";
import { folded, freshOrganization, sendGraphQL, sharedServer, type Tenant } from "../support/server.ts";

const QUERY = "{ recordedSessions { nodes { id } } }";
const TURN = { hook_event_name: "UserPromptSubmit", session_id: "s", prompt_id: "p", prompt: "Hello" };

const read = ({ url, apiKey }: Tenant) => sendGraphQL(url, apiKey, { query: QUERY });

/** Posts a prompt that cannot be folded, and expects the API and MCP to say so. */
async function expectBehind(tenant: Tenant): Promise<void> {
  const { client } = await mcpFor(tenant, { "x-mcp-toolsets": "all", "x-api-key": tenant.ingestKey });
  await postHook(tenant, "claude-code", TURN);
  const behind = { extensions: { behind: true }, data: { recordedSessions: { nodes: [] } } };
  expect(await read(tenant)).to.deep.include(behind);
  const { content } = await client.callTool({ name: "list_sessions", arguments: {} });
  expect((content as { text: string }[])[1]?.text).to.include("last moments may be missing");
}

async function expectAll(tenant: Tenant): Promise<void> {
  await folded((await sharedServer()).runtime, tenant.organizationId);
  const { extensions, data } = await read(tenant);
  expect([extensions, data?.["recordedSessions"].nodes.length]).to.deep.equal([undefined, 1]);
}

describeOnPostgres("a read while a fold is held up", function () {
  this.timeout(30_000);

  it("answers in about a second, says that it is behind, and shows all afterwards", async () => {
    const tenant = await freshOrganization();
    const database = new pg.Client(String(process.env["TEST_DATABASE_URL"]));
    await database.connect();
    try {
      await database.query(`select pg_advisory_lock(${foldLockOf(tenant.organizationId)})`);
      await expectBehind(tenant);
    } finally {
      await database.end();
    }
    await expectAll(tenant);
  });
});

describe("a read while the database refuses a fold", function () {
  this.timeout(30_000);

  it("says that it is behind, and shows all afterwards, on either engine", async () => {
    const tenant = await freshOrganization();
    const { db } = (await sharedServer()).runtime;
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
