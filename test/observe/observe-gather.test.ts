import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { createWriter } from "../support/recording/ingest.ts";
import {
  postHook,
  readHookFixture,
  readSession,
  replayHooks,
  toEventTree,
} from "../support/recording/observed-sessions.ts";
import { postOtlp } from "../support/recording/otlp.ts";
import { buildSpansRequest } from "../support/recording/telemetry.ts";
import { createOrganization, startSharedServer, type Tenant } from "../support/server.ts";

const RUN = ["01-session-start", "02-user-prompt-submit", "03-message-display", "04-pre-tool-use"]
  .concat("05-pre-tool-use-second", "06-post-tool-use", "07-post-tool-use-failure", "08-post-tool-batch", "09-stop")
  .concat("13-session-end")
  .map((name) => `claude/${name}`);

const callOf = (session_id: string, tool_use_id: string, command = "true") => ({
  ...{ hook_event_name: "PreToolUse", session_id, tool_use_id, tool_name: "Bash", tool_input: { command } },
});

const post = async (tenant: Pick<Tenant, "url" | "ingestKey">, payload: object) =>
  (await postHook(tenant, "claude-code", payload)).status;

describe("concurrent hooks", () => {
  it("of one session share transactions", async () => {
    const [tenant, session] = [await createOrganization(), uuidv7()];
    const { db } = (await startSharedServer()).runtime;
    const calls = Array.from({ length: 60 }, (_, at) => callOf(session, `toolu-${at}`));
    const statuses = await Promise.all(calls.map((call) => post(tenant, call)));
    expect(new Set(statuses)).to.deep.equal(new Set([204]));
    const [stored] = await db.query({
      text: `select count(*)::int as observations, count(distinct xmin::text)::int as transactions
        from recorded_observation where session_id = $1`,
      values: [session],
    });
    expect(stored?.["observations"]).to.equal(60);
    expect((await readSession(tenant, session)).totals).to.include({ events: 60 });
    expect(stored?.["transactions"]).to.be.below(60);
  });

  it("that create the same session create it one after the other", async () => {
    const [apart, together] = [await createOrganization(), await createOrganization()];
    await replayHooks(apart, "claude-code", RUN);
    const payloads = [...RUN, ...RUN, ...RUN].map((path) => readHookFixture(path));
    const statuses = await Promise.all(payloads.map((payload) => post(together, payload)));
    expect(new Set(statuses)).to.deep.equal(new Set([204]));
    const [one, other] = [await readSession(apart), await readSession(together)];
    expect(toEventTree(other)).to.deep.equal(toEventTree(one));
    expect(other.totals).to.deep.equal(one.totals);
  });

  it("with different ingest keys are stored with the settings of each key", async () => {
    const tenant = await createOrganization();
    const { body } = await tenant.rest("POST", "/api/ingest-keys", { name: "silent", omitToolContents: true });
    const silent = { ...tenant, ingestKey: String(body["key"]) };
    const [loud, quiet] = [uuidv7(), uuidv7()];
    const posts = Array.from({ length: 10 }, (_, at) => [
      post(tenant, callOf(loud, `toolu-${at}`, "said aloud")),
      post(silent, callOf(quiet, `toolu-${at}`, "said aloud")),
    ]);
    await Promise.all(posts.flat());
    const argsOf = async (session: string) => (await readSession(tenant, session)).events.map(({ args }: any) => args);
    expect(new Set(await argsOf(loud))).to.deep.equal(new Set(['{"command":"said aloud"}']));
    expect(new Set(await argsOf(quiet))).to.deep.equal(new Set([""]));
  });

  it("do not wait for a session that another transaction has locked", async function () {
    const { db } = (await startSharedServer()).runtime;
    if (db.engine === "embedded") return this.skip();
    const [tenant, locked] = [await createOrganization(), uuidv7()];
    expect(await post(tenant, callOf(locked, "toolu-0"))).to.equal(204);
    await readSession(tenant, locked);
    await db.transaction(async (trx) => {
      const text = "select 1 from recorded_session where organization_id = $1 and session_id = $2 for update";
      await trx.query({ text, values: [tenant.organizationId, locked] });
      const posts = Array.from({ length: 20 }, (_, at) => post(tenant, callOf(at ? uuidv7() : locked, `call-${at}`)));
      expect(new Set(await Promise.all(posts))).to.deep.equal(new Set([204]));
    });
    expect((await readSession(tenant, locked)).totals).to.include({ events: 2 });
  });
});

describe("small concurrent OTLP exports", () => {
  it("each report only their own rejected records", async () => {
    const [writer, session] = [await createWriter(), uuidv7()];
    const replies = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.conversation.id": session };
        const span = (id: string) => ({ id: at + 1, at: { ...attributes, "gen_ai.tool.call.id": id } });
        const id = at % 3 === 0 ? "x".repeat(600) : `call-${at}`;
        const request = buildSpansRequest([span(id), { ...span(`other-${at}`), id: at + 100 }]);
        const { bytes } = await postOtlp(writer, "/v1/traces", Buffer.from(JSON.stringify(request)));
        return Number(JSON.parse(bytes.toString()).partialSuccess?.rejectedSpans ?? 0);
      }),
    );
    expect(replies).to.deep.equal([1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0]);
  });
});
