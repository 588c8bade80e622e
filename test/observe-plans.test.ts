import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import type { App } from "../server/app.ts";
import { postHook } from "./support/observed-sessions.ts";
import { freshDatabase } from "./support/postgres.ts";
import { freshOrganization, startServer, type Tenant } from "./support/server.ts";

const TABLES = ["recorded_event", "recorded_session", "recorded_open", "recorded_user"];
const MANY = 3_000;

/** What a turn with a call tells, in a session of its own. */
async function turn(tenant: Tenant): Promise<void> {
  const [session_id, prompt_id] = [uuidv7(), uuidv7()];
  for (const told of [
    { hook_event_name: "UserPromptSubmit", prompt: "Why?" },
    { hook_event_name: "PreToolUse", tool_use_id: "toolu-1", tool_name: "Bash", tool_input: {} },
    { hook_event_name: "PostToolUse", tool_use_id: "toolu-1", tool_name: "Bash", tool_response: "ok" },
    { hook_event_name: "Stop", last_assistant_message: "So." },
  ]) {
    const { status } = await postHook(tenant, "claude-code", { session_id, prompt_id, ...told });
    expect(status).to.equal(204);
  }
}

/** Rows read by scans of whole tables, and uses of indexes, as far as PostgreSQL has counted them. */
async function reads({ runtime: { db } }: App): Promise<{ scanned: number; found: number }> {
  const [row] = await db.query<{ scanned: number; found: number }>({
    text: `select sum(seq_tup_read)::float8 as scanned, sum(idx_scan)::float8 as found from pg_stat_user_tables
      where relname = any($1)`,
    values: [TABLES],
  });
  return row ?? { scanned: 0, found: 0 };
}

describe("hooks on tables that have grown", () => {
  it("find their rows by keys, though their plans were made while the tables were small", async function () {
    this.timeout(120_000);
    const fresh = process.env["TEST_DATABASE_URL"] ? await freshDatabase() : undefined;
    const app = await startServer(fresh && { DATABASE_URL: fresh.url });
    const tenant = await freshOrganization(app);
    const { db } = app.runtime;
    await turn(tenant);
    for (const table of TABLES) await db.query({ text: `vacuum analyze ${table}` });
    for (let turns = 0; turns < 10; turns += 1) await turn(tenant);
    await db.query({
      text: `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered,
          received_at, last_received_at, events, failures, turns, tool_calls)
        select $1, gen_random_uuid(), '{}', now(), false, false, now(), now(), 0, 0, 0, 0 from generate_series(1, ${MANY})`,
      values: [tenant.organizationId],
    });
    await db.query({
      text: `insert into recorded_event (organization_id, event_id, session_id, timestamp, received_at, timestamp_sent,
          success, primitive_name, args, result)
        select $1, gen_random_uuid(), gen_random_uuid(), now(), now(), false, true, 'n', '', '' from generate_series(1, ${MANY})`,
      values: [tenant.organizationId],
    });
    await sleep(1_100);
    await turn(tenant);
    const before = await reads(app);
    // Each connection adds to the counts about once a second.
    for (let now = before; now.found < before.found + 60; now = await reads(app)) {
      await turn(tenant);
      await sleep(200);
    }
    expect((await reads(app)).scanned - before.scanned).to.be.below(MANY / 2);
    await app.close();
    await fresh?.drop();
  });
});
