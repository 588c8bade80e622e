import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { uuidv7 } from "uuidv7";
import { createDatabase } from "../support/db/postgres.ts";
import { findScannedTables } from "../support/db/rows-read.ts";
import { postHook } from "../support/recording/observed-sessions.ts";
import { postOtlp } from "../support/recording/otlp.ts";
import { createOrganization, startServer, type Tenant } from "../support/server.ts";

const MANY = 3_000;
const ROWS = `from generate_series(1, ${MANY}) n`;

/**
 * Statements that insert many rows into each table that reports write; `$1` is the organization. The rows are a day
 * old, because a job counts the events of hours that change.
 */
const FILL = {
  recorded_session: `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered,
      received_at, last_received_at, events, failures, turns, tool_calls)
    select $1, gen_random_uuid(), '{}', now(), false, false, now(), now(), 0, 0, 0, 0 ${ROWS}`,
  recorded_event: `insert into recorded_event (organization_id, event_id, session_id, timestamp, received_at, timestamp_sent,
      success, primitive_name, args, result)
    select $1, gen_random_uuid(), gen_random_uuid(), now() - interval '1 day', now(), false, true, 'n', '', '' ${ROWS}`,
  recorded_open: `insert into recorded_open select $1, gen_random_uuid(), gen_random_uuid() ${ROWS}`,
  recorded_user: `insert into recorded_user select $1, 'user ' || n, '{}', now() ${ROWS}`,
  recorded_observation: `insert into recorded_observation select $1, gen_random_uuid(), gen_random_uuid(), null, now(), 'key', '[]' ${ROWS}`,
  recorded_part: `insert into recorded_part select $1, gen_random_uuid(), gen_random_uuid(), null, now() ${ROWS}`,
};
const TABLES = Object.keys(FILL);

async function tell(tenant: Tenant, agent: string, told: readonly object[]): Promise<void> {
  for (const each of told) expect((await postHook(tenant, agent, each)).status).to.equal(204);
}

/**
 * Posts turns with a call, each in a separate session: through hooks with and without ids, and through spans of one
 * trace.
 */
async function turns(tenant: Tenant): Promise<void> {
  const [session_id, prompt_id] = [uuidv7(), uuidv7()];
  const call = { session_id, prompt_id, tool_use_id: "toolu-1", tool_name: "Bash" };
  await tell(tenant, "claude-code", [
    { session_id, prompt_id, hook_event_name: "UserPromptSubmit", prompt: "Why?" },
    { ...call, hook_event_name: "PreToolUse", tool_input: {} },
    { ...call, hook_event_name: "PostToolUse", tool_response: "ok" },
    { session_id, prompt_id, hook_event_name: "Stop", last_assistant_message: "So." },
  ]);
  const equal = {
    session_id: uuidv7(),
    tool_name: "read_file",
    tool_input: { path: "a" },
    timestamp: new Date().toISOString(),
  };
  await tell(tenant, "gemini-cli", [
    { ...equal, hook_event_name: "BeforeTool" },
    { ...equal, hook_event_name: "AfterTool", tool_response: { llmContent: "a" } },
  ]);
  const trace = uuidv7().replaceAll("-", "");
  const [turn, model, tool] = ["0000000000000001", "0000000000000002", "0000000000000003"];
  const conversation = { "gen_ai.conversation.id": uuidv7(), "gen_ai.agent.name": "plans" };
  await post(
    tenant,
    trace,
    { spanId: tool, parentSpanId: model },
    { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t" },
  );
  await post(
    tenant,
    trace,
    { spanId: model, parentSpanId: turn },
    { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" },
  );
  await post(tenant, trace, { spanId: turn }, { "gen_ai.operation.name": "invoke_agent", ...conversation });
}

async function post(
  { url, ingestKey }: Tenant,
  traceId: string,
  ids: object,
  values: Record<string, string>,
): Promise<void> {
  const at = `${Date.now()}000000`;
  const attributes = Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const span = { traceId, ...ids, name: "a span", startTimeUnixNano: at, endTimeUnixNano: at, attributes };
  const body = Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
  expect((await postOtlp({ url, key: ingestKey }, "/v1/traces", body)).status).to.equal(200);
}

/**
 * Prevents PostgreSQL from analyzing the tables, which would otherwise happen soon. Returns a function that allows
 * analysis again.
 */
async function keepFromAnalysis(url: string | undefined): Promise<() => Promise<void>> {
  if (url === undefined) return async () => {};
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`begin; lock table ${TABLES.join()} in share update exclusive mode`);
  return () => client.end();
}

describe("storing agents' reports in large tables", () => {
  for (const isAnalyzed of [false, true]) {
    it(`finds rows by keys with plans made while the tables were ${isAnalyzed ? "small" : "empty"}`, async () => {
      const fresh = process.env["TEST_DATABASE_URL"] ? await createDatabase() : undefined;
      const app = await startServer(fresh && { DATABASE_URL: fresh.url });
      const tenant = await createOrganization(app);
      const { db } = app.runtime;
      await turns(tenant);
      for (const table of isAnalyzed ? TABLES : []) await db.query({ text: `vacuum analyze ${table}` });
      for (let times = 0; times < 10; times += 1) await turns(tenant);
      const release = await keepFromAnalysis(fresh?.url);
      for (const text of Object.values(FILL)) await db.query({ text, values: [tenant.organizationId] });
      await sleep(1_100);
      await turns(tenant);
      expect(await findScannedTables(app, { tables: TABLES, size: MANY }, () => turns(tenant))).to.deep.equal([]);
      await release();
      await app.close();
      await fresh?.drop();
    });
  }
});
