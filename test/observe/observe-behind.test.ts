import { expect } from "chai";
import pg from "pg";
import { foldLockOf } from "../../server/ingest/observe/project/transaction.ts";
import { mcpFor } from "../support/mcp.ts";
import { postHook } from "../support/observed-sessions.ts";
import { describeOnPostgres } from "../support/postgres.ts";
import { folded, freshOrganization, sendGraphQL, sharedServer } from "../support/server.ts";

const QUERY = "{ recordedSessions { nodes { id } } }";
const TURN = { hook_event_name: "UserPromptSubmit", session_id: "s", prompt_id: "p", prompt: "Hello" };

describeOnPostgres("a read while a fold is held up", function () {
  this.timeout(30_000);

  it("answers in about a second, says that it is behind, and shows all afterwards", async () => {
    const tenant = await freshOrganization();
    const { client } = await mcpFor(tenant, { "x-mcp-toolsets": "all", "x-api-key": tenant.ingestKey });
    const database = new pg.Client(String(process.env["TEST_DATABASE_URL"]));
    await database.connect();
    const read = () => sendGraphQL(tenant.url, tenant.apiKey, { query: QUERY });
    try {
      await database.query(`select pg_advisory_lock(${foldLockOf(tenant.organizationId)})`);
      await postHook(tenant, "claude-code", TURN);
      expect(await read()).to.deep.include({ extensions: { behind: true }, data: { recordedSessions: { nodes: [] } } });
      const { content } = await client.callTool({ name: "list_sessions", arguments: {} });
      expect((content as { text: string }[])[1]?.text).to.include("last moments may be missing");
    } finally {
      await database.end();
    }
    await folded((await sharedServer()).runtime, tenant.organizationId);
    const { extensions, data } = await read();
    expect([extensions, data?.["recordedSessions"].nodes.length]).to.deep.equal([undefined, 1]);
  });
});
