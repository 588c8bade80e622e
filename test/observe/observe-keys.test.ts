import { expect } from "chai";
import { uuid5 } from "../../server/ingest/observe/fold/ids.ts";
import { createEvent, sendRaw } from "../support/recording/ingest.ts";
import {
  postHook,
  readHookFixture,
  readSession,
  replayHooks,
  toEventTree,
} from "../support/recording/observed-sessions.ts";
import { createOrganization } from "../support/server.ts";

const RUN = ["02-user-prompt-submit", "04-pre-tool-use", "05-pre-tool-use-second", "06-post-tool-use"]
  .concat("07-post-tool-use-failure", "08-post-tool-batch", "09-stop")
  .map((name) => `claude/${name}`);

/** Returns all texts of a session that name users, models and tools. */
async function texts(settings: object, change: object = {}): Promise<string[]> {
  const tenant = await createOrganization();
  const { body } = await tenant.rest("POST", "/api/ingest-keys", { name: "agents", ...settings });
  const changed = await tenant.rest("PATCH", `/api/ingest-keys/${body["id"]}`, change);
  expect(changed.status).to.equal(200);
  await replayHooks({ ...tenant, ingestKey: String(body["key"]) }, "claude-code", RUN);
  const { events, totals, user } = await readSession(tenant);
  expect(totals).to.deep.include({ events: 3, failures: 1, turns: 1, toolCalls: 2 });
  expect(user).to.deep.equal({ id: changed.body["name"] });
  return events.flatMap(({ args, result, errorMessage }: any) => [args, result, errorMessage ?? ""]).filter(Boolean);
}

describe("an ingest key's privacy settings", () => {
  it("without prompts store what tools did", async () => {
    const kept = (await texts({ omitPrompts: true })).join("\n");
    expect(kept)
      .to.contain("echo hello")
      .and.contain("No such file")
      .and.not.contain("Run echo")
      .and.not.contain("Done:");
  });

  it("without tool contents store prompts and replies", async () => {
    const kept = (await texts({}, { omitToolContents: true, name: "other" })).join("\n");
    expect(kept)
      .to.contain("Run echo")
      .and.contain("Done:")
      .and.not.contain("Print hello")
      .and.not.contain("No such file");
  });

  it("without prompts and tool contents store no content", async () => {
    expect(await texts({ omitPrompts: true, omitToolContents: true })).to.deep.equal([]);
  });

  it("are shown in the list of keys, and another organization cannot change them", async () => {
    const [tenant, other] = [await createOrganization(), await createOrganization()];
    const { body } = await tenant.rest("POST", "/api/ingest-keys", { name: "agents", omitPrompts: true });
    expect(body).to.include({ omitPrompts: true, omitToolContents: false });
    const path = `/api/ingest-keys/${body["id"]}`;
    expect((await other.rest("PATCH", path, { omitPrompts: false })).status).to.equal(404);
    expect((await tenant.rest("PATCH", path, { omitPrompts: "no" })).status).to.equal(400);
    const list = await tenant.rest("GET", "/api/ingest-keys");
    expect((list.body["ingestKeys"] as object[])[0]).to.include({ omitPrompts: true, omitToolContents: false });
  });

  it("redact secrets in tool arguments, as in metadata", async () => {
    const tenant = await createOrganization();
    const call = {
      ...readHookFixture("claude/04-pre-tool-use"),
      tool_input: { url: "u", headers: { Authorization: "Bearer x" } },
    };
    await postHook(tenant, "claude-code", call);
    expect(toEventTree(await readSession(tenant))[0]?.args).to.match(
      /^\{"url":"u","headers":\{"Authorization":"\[redacted:header:[0-9a-f]{4}\]"\}\}$/,
    );
  });

  it("apply to hooks with x-api-key or a bearer token, and to capture endpoints with X-Org-Id", async () => {
    const tenant = await createOrganization();
    const { url, ingestKey } = tenant;
    const payload = readHookFixture("claude/02-user-prompt-submit");
    const statuses = [];
    for (const headers of [
      { "x-api-key": ingestKey },
      { Authorization: `Bearer ${ingestKey}` },
      { Authorization: "Bearer sk_no" },
      {},
    ])
      statuses.push((await postHook(tenant, "claude-code", payload, headers as Record<string, string>)).status);
    expect(statuses).to.deep.equal([204, 204, 401, 401]);
    const refused = await postHook(tenant, "claude-code", {}, {});
    expect(refused.text).to.contain("x-api-key").and.to.contain("Bearer");
    const event = JSON.stringify(createEvent());
    expect((await sendRaw(`${url}/api/v1/capture-event`, event, { "X-Org-Id": ingestKey })).status).to.equal(200);
    expect((await sendRaw(`${url}/api/v1/capture-event`, event, { "X-Org-Id": "sk_other" })).status).to.equal(401);
  });
});

describe("hook endpoints", () => {
  it("accept bodies of several MiB, up to the limit of the capture endpoints", async () => {
    const tenant = await createOrganization();
    const long = { ...readHookFixture("claude/06-post-tool-use"), tool_response: "é".repeat(2_000_000) };
    expect((await postHook(tenant, "claude-code", long)).status).to.equal(204);
    const [event] = (await readSession(tenant)).events;
    expect([event.result.length, event.metadata]).to.deep.equal([524_288, { truncated: ["result"] }]);
    const huge = { ...long, tool_response: "x".repeat(11 * 1024 * 1024) };
    expect((await postHook(tenant, "claude-code", huge)).status).to.equal(413);
  });

  it("refuse payloads that are no hook's, other methods and other paths", async () => {
    const tenant = await createOrganization();
    for (const body of ["{", "[]", "{}", '{"session_id": 5}']) {
      expect((await postHook(tenant, "codex", body)).status).to.equal(400);
    }
    expect((await postHook(tenant, "emacs", {})).status).to.equal(404);
    const got = await fetch(`${tenant.url}/api/v1/hooks/codex`);
    expect([got.status, got.headers.get("allow")]).to.deep.equal([405, "POST"]);
  });

  it("store a payload with NUL and lone surrogates, which PostgreSQL cannot store unchanged", async () => {
    const tenant = await createOrganization();
    const payload = { ...readHookFixture("claude/02-user-prompt-submit"), prompt: "a\u0000b\ud800", cwd: "\u0000" };
    expect((await postHook(tenant, "claude-code", payload)).status).to.equal(204);
    expect((await readSession(tenant)).events[0].args).to.equal("a\ufffdb\ufffd");
  });

  it("leave events of capture endpoints and of other organizations unchanged", async () => {
    const [tenant, other] = [await createOrganization(), await createOrganization()];
    const prompt = readHookFixture("claude/02-user-prompt-submit");
    const event = createEvent({ event_id: prompt.prompt_id, session_id: prompt.session_id });
    await sendRaw(`${tenant.url}/api/v1/capture-event`, JSON.stringify(event), { "x-api-key": tenant.ingestKey });
    await replayHooks(tenant, "claude-code", RUN);
    await replayHooks(other, "claude-code", RUN);
    const own = await readSession(tenant, prompt.session_id);
    expect(own.events.find(({ id }: any) => id === prompt.prompt_id)).to.include({
      args: event.args,
      result: event.result,
      kind: "turn",
    });
    expect(own.totals).to.deep.include({ events: 3, turns: 1, toolCalls: 2 });
    expect((await readSession(other)).totals).to.deep.include({ events: 3, turns: 1, toolCalls: 2 });
    expect(toEventTree(await readSession(other))[0]?.args).to.equal(prompt.prompt);
  });
});

describe("capture endpoints", () => {
  it("accept a session id of conv_ plus a UUID, as agnostai sends it, and keep its spelling", async () => {
    const tenant = await createOrganization();
    const { url, ingestKey, organizationId } = tenant;
    const spelled = `conv_${createEvent().event_id}`;
    const headers = { "X-Org-Id": ingestKey };
    const events = [createEvent({ session_id: spelled }), createEvent({ session_id: spelled })];
    const batch = await sendRaw(`${url}/api/v1/capture-events`, JSON.stringify({ events }), headers);
    expect(batch.body).to.include({ accepted: 2, rejected: 0 });
    expect(await readSession(tenant)).to.include({
      id: uuid5(organizationId, spelled),
      externalId: spelled,
      registered: false,
    });
    const session = { session_id: spelled, user_data: { user_id: "u-1" } };
    const reply = await sendRaw(`${url}/api/v1/capture-session`, JSON.stringify(session), headers);
    expect([reply.status, reply.body]).to.deep.equal([200, { status: "ok", session_id: spelled }]);
    const read = await readSession(tenant);
    expect(read).to.deep.include({ externalId: spelled, registered: true, user: { id: "u-1" } });
    expect(read.totals.events).to.equal(2);
    const odd = await sendRaw(
      `${url}/api/v1/capture-event`,
      JSON.stringify(createEvent({ session_id: "conv_5" })),
      headers,
    );
    expect(odd.status).to.equal(400);
  });
});
