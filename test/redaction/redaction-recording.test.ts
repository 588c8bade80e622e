import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { findTablesWith } from "../support/db/tables-with.ts";
import { createEvent, createSession } from "../support/recording/ingest.ts";
import { postHook, readHookFixture, readSession } from "../support/recording/observed-sessions.ts";
import { callRestApi, createOrganization, sendGraphQL, type Tenant } from "../support/server.ts";
import { createWorkspaceIn } from "../support/workspace.ts";
import { ALNUM, HEX, random } from "./corpus/random.ts";

/** Returns a different secret for each test. */
const secretOf = (seed: number) => `ghp_${random(seed).chars(ALNUM, 36)}`;
const MARK = /\[redacted:github-token:[0-9a-f]{4}\]/;

const post = ({ url, ingestKey }: Tenant, path: string, body: object) =>
  callRestApi(url, "POST", `/api/v1/${path}`, { body, headers: { "x-api-key": ingestKey } });

describe("redaction of recorded data", () => {
  it("leaves no secret of a batch, single events and a session in any table or response", async () => {
    const tenant = await createOrganization();
    const secret = secretOf(11);
    const session_id = uuidv7();
    const event = (fields: object) => createEvent({ session_id, ...fields });
    const batch = [
      event({ args: `echo ${secret}`, result: `{"out":"line\\n${secret}"}` }),
      event({
        primitive_name: `run ${secret}`,
        primitive_type: "tool",
        success: false,
        result: `Error: bad key ${secret}`,
      }),
      event({ metadata: { note: secret, deep: [{ list: [`a ${secret}`], [`for ${secret}`]: 1 }] } }),
      event({ args: "nothing", result: "nothing" }),
    ];
    expect((await post(tenant, "capture-events", { events: batch })).body["accepted"]).to.equal(4);
    expect((await post(tenant, "capture-event", event({ args: secret }))).status).to.equal(200);
    const user_data = { user_id: "u-1", trait: `key ${secret}` };
    const session = createSession({
      session_id,
      user_data,
      metadata: { cwd: `/srv?key=${secret}` },
      client_config: secret,
    });
    expect((await post(tenant, "capture-session", session)).status).to.equal(200);
    const counts = await tenant.gql(
      `{ recordedSession(id: "${session_id}") { events(first: 9) { nodes { args redacted } } } }`,
    );
    const redacted = counts.recordedSession.events.nodes.map((each: any) => each.redacted);
    expect(redacted).to.have.deep.members(
      [1, 2, 2, 3].map((count) => ({ "github-token": count })).concat(null as never),
    );
    const read = await readSession(tenant, session_id);
    expect(JSON.stringify(read)).not.to.contain(secret);
    expect(read.events.filter((each: object) => MARK.test(JSON.stringify(each)))).to.have.length(4);
    expect(read.events.find(({ errorMessage }: any) => errorMessage).errorMessage).to.match(MARK);
    expect(await findTablesWith(secret.slice(6, 30))).to.deep.equal([]);
  });

  it("finds a secret that the body spells with escapes", async () => {
    const tenant = await createOrganization();
    const secret = secretOf(12);
    const event = createEvent({ args: "PLACE", result: "x" });
    const spelled = [...secret].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join("");
    const body = JSON.stringify({ events: [event] }).replace("PLACE", `a ${spelled} b`);
    const headers = { "x-api-key": tenant.ingestKey, "Content-Type": "application/json" };
    const reply = await fetch(`${tenant.url}/api/v1/capture-events`, { method: "POST", headers, body });
    expect(reply.status).to.equal(202);
    const [read] = (await readSession(tenant, event.session_id)).events;
    expect(read.args).to.match(/^a \[redacted:github-token:[0-9a-f]{4}\] b$/);
    expect(await findTablesWith(secret.slice(6, 30))).to.deep.equal([]);
  });

  it("leaves no secret from hooks and OpenTelemetry", async () => {
    const tenant = await createOrganization();
    const secret = secretOf(13);
    const tool = {
      ...readHookFixture("claude/04-pre-tool-use"),
      tool_input: { command: `login ${secret}`, token: secret },
    };
    const prompt = { ...readHookFixture("claude/02-user-prompt-submit"), prompt: `use ${secret}` };
    for (const hook of [prompt, tool]) await postHook(tenant, "claude-code", hook);
    const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const span = {
      traceId: random(14).chars(HEX, 32),
      spanId: random(15).chars(HEX, 16),
      name: `execute_tool ${secret}`,
      startTimeUnixNano: `${Date.now()}000000`,
      endTimeUnixNano: `${Date.now() + 5}000000`,
      attributes: [
        attribute("gen_ai.operation.name", "execute_tool"),
        attribute("gen_ai.tool.name", "deploy"),
        attribute("gen_ai.tool.call.arguments", `{"key":"${secret}"}`),
        attribute("gen_ai.tool.call.result", `logged in with ${secret}`),
        attribute("gen_ai.conversation.id", uuidv7()),
        attribute("custom", secret),
      ],
      status: { code: 2, message: `refused ${secret}` },
    };
    const resource = { attributes: [attribute("service.name", `agent ${secret}`), attribute("owner", secret)] };
    const body = { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] };
    const sent = await callRestApi(tenant.url, "POST", "/v1/traces", {
      body,
      headers: { "x-api-key": tenant.ingestKey },
    });
    expect(sent.status).to.be.below(300);
    expect(await findTablesWith(secret.slice(6, 30))).to.deep.equal([]);
    const { recordedSessions } = await tenant.gql(
      "{ recordedSessions(first: 9) { nodes { id events { nodes { args } } } } }",
    );
    expect(JSON.stringify(recordedSessions)).to.match(MARK);
  });
});

describe("redaction of text that agents write into the tracker", () => {
  it("leaves no secret in titles, descriptions and comments, in any table", async () => {
    const space = await createWorkspaceIn(await createOrganization());
    const secret = secretOf(16);
    const { teams } = await space.gql("{ teams { nodes { id } } }");
    const input = { teamId: teams.nodes[0].id, title: `Rotate ${secret}`, description: `It is ${secret}.` };
    const { issueCreate } = await space.gql(
      "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id title description } } }",
      { input },
    );
    expect(issueCreate.issue.title).to.match(MARK);
    expect(issueCreate.issue.description).to.match(MARK);
    const comment = { issueId: issueCreate.issue.id, body: `Use ${secret}` };
    await space.gql("mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { comment { id } } }", {
      input: comment,
    });
    expect(await findTablesWith(secret.slice(6, 30))).to.deep.equal([]);
  });

  it("leaves no secret in lookup values: models, agents, tools, client ids and idempotency keys", async () => {
    const space = await createWorkspaceIn(await createOrganization());
    const secret = secretOf(17);
    const rule = { name: "Rule", condition: "toolFailureRate", channel: "email", threshold: 50, tool: secret };
    const row = { team: "ENG", externalId: secret, title: "One", createdAt: "2026-01-01T00:00:00Z" };
    await space.does("noticeRuleCreate", { input: rule });
    await space.does("organizationUpdate", {
      input: { ownPrices: [{ model: secret, input: 1, output: 1, from: "2026-01-01" }] },
    });
    await space.does("organizationUpdate", { input: { retentionAgents: [{ agent: secret, sessionDays: 9 }] } });
    await space.does("issueBatchImport", { input: { source: "jira", rows: [{ issue: row }] } });
    const query = `mutation { made: issueCreate(input: { teamId: "ENG", title: "x" }) { issue { id } } }`;
    const create = async (key: string) =>
      (await sendGraphQL(space.url, space.apiKey, { query }, { "Idempotency-Key": key })).data.made.issue.id;
    expect(await create(`for ${secret}`)).to.equal(await create(`for ${secret}`));
    expect(await create(`for ${secretOf(18)}`)).to.not.equal(await create(`for ${secret}`));
    expect(await findTablesWith(secret.slice(6, 30))).to.deep.equal([]);
  });

  it("does not apply to text by people", async () => {
    const tenant = await createOrganization();
    const space = await createWorkspaceIn(tenant);
    const { teams } = await space.gql("{ teams { nodes { id } } }");
    const title = "DB_PASSWORD=hunter2-in-the-docs";
    const query = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { title } } }";
    const variables = { input: { teamId: teams.nodes[0].id, title } };
    const { data } = await sendGraphQL(tenant.url, `Bearer ${tenant.accessToken}`, { query, variables });
    expect(data.issueCreate.issue.title).to.equal(title);
  });
});
