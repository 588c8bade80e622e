import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import type { ClientBase } from "pg";
import { toCallId } from "../../server/ingest/observe/fold/ids.ts";
import { citusUrl } from "../support/db/citus.ts";
import { describeOnPostgres } from "../support/db/postgres.ts";
import { createWriter, type IngestWriter, startAnotherServer } from "../support/recording/ingest.ts";
import { postHook } from "../support/recording/observed-sessions.ts";
import { postOtlp, readStoredTrees, toComparableTrees } from "../support/recording/otlp.ts";
import { buildLogsRequest, buildSpansRequest, type TestSpan } from "../support/recording/telemetry.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { startSharedServer } from "../support/server.ts";

type Target = Pick<IngestWriter, "url" | "key">;

async function exportTo(target: Target, signal: "traces" | "logs", body: object): Promise<void> {
  const { status, bytes } = await postOtlp(target, `/v1/${signal}`, Buffer.from(JSON.stringify(body)));
  expect([status, bytes.toString()]).to.deep.equal([200, "{}"]);
}

const hook = (target: Target, payload: object) =>
  postHook({ url: target.url, ingestKey: target.key }, "claude-code", payload);

const agentOf = (session: string, id: number): TestSpan => ({
  id,
  at: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper", "gen_ai.conversation.id": session },
});
const toolOf = (session: string, call: string, id: number, parent: number): TestSpan => ({
  id,
  parent,
  at: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "Bash",
    "gen_ai.conversation.id": session,
    "gen_ai.tool.call.id": call,
  },
});
/** Builds the log record that reports a failed call, without a trace. */
const failureOf = (session: string, call: string) =>
  buildLogsRequest([
    {
      name: "tool_result",
      body: "claude_code.tool_result",
      at: {
        "event.name": "tool_result",
        "session.id": session,
        "prompt.id": session,
        tool_use_id: call,
        tool_name: "Bash",
        success: "false",
        error: "no such file",
      },
    },
  ]);

/** Returns the sessions whose totals differ from a count of their events. */
async function miscounted(organizationId: string): Promise<unknown[]> {
  const text = `select s.session_id, s.events::integer, s.failures::integer, s.tool_calls::integer, s.turns::integer, e.*
    from recorded_session s cross join lateral (
      select count(*)::integer as n, count(*) filter (where not success)::integer as failed,
        count(*) filter (where kind = 'tool')::integer as tools, count(*) filter (where kind = 'turn')::integer as prompts
      from recorded_event e where e.organization_id = s.organization_id and e.session_id = s.session_id) e
    where s.organization_id = $1 and (s.events, s.failures, s.tool_calls, s.turns) is distinct from (e.n, e.failed, e.tools, e.prompts)`;
  return (await startSharedServer()).runtime.db.query({ text, values: [organizationId] });
}

describe("a trace with two sessions", () => {
  it("keeps closed events of one session closed when a span of the other arrives", async () => {
    const [writer, mine, other] = [await createWriter(), randomUUID(), randomUUID()];
    const call = { session_id: other, tool_use_id: "t", tool_name: "Bash", tool_input: {} };
    await hook(writer, { hook_event_name: "PreToolUse", ...call });
    const span = JSON.stringify(buildSpansRequest([toolOf(other, "t", 2, 1)]));
    await exportTo(writer, "traces", JSON.parse(span.replace(/"endTimeUnixNano":"\d+"/, '"endTimeUnixNano":"0"')));
    await hook(writer, { hook_event_name: "SessionEnd", session_id: other });
    expect(await writer.storedEvent(toCallId(other, "t"))).to.include({ open: false });
    await exportTo(writer, "traces", buildSpansRequest([agentOf(mine, 1)]));
    const stored = await writer.storedEvent(toCallId(other, "t"));
    expect(stored).to.include({ open: false });
    expect(stored?.["parent_id"]).to.be.a("string");
    expect(await miscounted(writer.organizationId)).to.deep.equal([]);
  });

  it("gives the same events and totals when several processes receive its reports concurrently", async () => {
    const [first, second] = [await startAnotherServer(), await startAnotherServer()];
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
    const steps: [signal: "traces" | "logs", body: object][] = [
      ["traces", buildSpansRequest([agentOf(a, 1)])],
      ["traces", buildSpansRequest([toolOf(b, "t2", 2, 1)])],
      ["traces", buildSpansRequest([toolOf(c, "t3", 3, 2)])],
      ["traces", buildSpansRequest([toolOf(b, "t4", 4, 3)])],
      ["traces", buildSpansRequest([{ id: 5, parent: 1 }, toolOf(a, "t6", 6, 5)])],
      ["logs", failureOf(b, "t2")],
      ["logs", failureOf(c, "t3")],
      ["logs", failureOf(b, "t4")],
      ["logs", failureOf(a, "t6")],
    ];
    const one = await createWriter();
    for (const [signal, body] of steps) await exportTo(one, signal, body);
    const expected = toComparableTrees(await readStoredTrees(one.organizationId));
    const shuffled = fc.shuffledSubarray([...steps, ...steps], { minLength: 2 * steps.length });
    await fc.assert(
      fc.asyncProperty(shuffled, async (order) => {
        const writer = await createWriter();
        const sent = order.map(([signal, body], at) =>
          exportTo({ ...writer, url: at % 2 ? first.url : second.url }, signal, body),
        );
        await Promise.all(sent);
        expect(toComparableTrees(await readStoredTrees(writer.organizationId))).to.deep.equal(expected);
        expect(await miscounted(writer.organizationId)).to.deep.equal([]);
      }),
      { numRuns: scaleRuns(15) },
    );
    await Promise.all([first.close(), second.close()]);
  }).timeout(120_000);
});

/** Waits until a number of connections wait for a lock of this database, on any node. */
async function untilWaiting(client: ClientBase, wanted: number): Promise<void> {
  const text = `select count(*)::integer as count from ${citusUrl ? "citus_stat_activity" : "pg_stat_activity"}
    where datname = current_database() and wait_event_type = 'Lock'`;
  for (;;) {
    await client.query("select pg_stat_clear_snapshot()");
    const { rows } = await client.query<{ count: number }>(text);
    if ((rows[0]?.count ?? 0) >= wanted) return;
    await sleep(5);
  }
}

describeOnPostgres("a trace with two sessions received by two processes", () => {
  it("keeps both the failure from one process and the parent from the other", async () => {
    const { db } = (await startSharedServer()).runtime;
    const [writer, mine, other] = [await createWriter(), randomUUID(), randomUUID()];
    await exportTo(writer, "traces", buildSpansRequest([toolOf(other, "t", 2, 1)]));
    const event_id = toCallId(other, "t");
    await writer.storedEvent(event_id);
    await db.connection(async (holder) => {
      await holder.query("begin");
      const text = "select from recorded_event where organization_id = $1 and event_id = $2 for update";
      await holder.query({ text, values: [writer.organizationId, event_id] });
      await exportTo(writer, "traces", buildSpansRequest([agentOf(mine, 1)]));
      await untilWaiting(holder, 1);
      await exportTo(writer, "logs", failureOf(other, "t"));
      await holder.query("commit");
    });
    const stored = await writer.storedEvent(event_id);
    expect(stored).to.include({ success: false, message: "no such file" });
    const [turn] = await readStoredTrees(writer.organizationId);
    expect([turn?.["session_id"], stored?.["parent_id"]]).to.deep.equal([mine, turn?.["event_id"]]);
    expect(await miscounted(writer.organizationId)).to.deep.equal([]);
  });
});
