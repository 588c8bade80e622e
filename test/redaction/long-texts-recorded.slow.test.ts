import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { tablesWith } from "../support/db/tables-with.ts";
import { anEvent, aSession } from "../support/recording/ingest.ts";
import { postOtlp, toProtobuf } from "../support/recording/otlp.ts";
import { call, folded, freshOrganization, sendGraphQL, sharedServer, type Tenant } from "../support/server.ts";
import { workspaceOf } from "../support/workspace.ts";
import { ALNUM, random } from "./corpus/random.ts";

/** Text that takes another thread, with a secret at its end. */
const longText = (secret: string, length = 24_000) => `${"AUTH ".repeat(length / 5)} ${secret}`;

const attributes = (values: Record<string, string>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));

const spans = (text: string) => ({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: randomBytes(16).toString("hex"),
              spanId: randomBytes(8).toString("hex"),
              startTimeUnixNano: `${Date.now()}000000`,
              endTimeUnixNano: `${Date.now() + 5}000000`,
              attributes: attributes({
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "t",
                "gen_ai.tool.call.arguments": text,
              }),
            },
          ],
        },
      ],
    },
  ],
});

const post = ({ url, ingestKey }: Tenant, path: string, body: object) =>
  call(url, "POST", path, { body, headers: { "x-api-key": ingestKey } });

/** Every entrance to which a program sends text, with the status of a success. */
const ENTRANCES: Readonly<Record<string, (tenant: Tenant, text: string) => Promise<{ status: number }>>> = {
  "capture-event": (tenant, text) => post(tenant, "/api/v1/capture-event", anEvent({ result: text })),
  "capture-events": (tenant, text) =>
    post(tenant, "/api/v1/capture-events", { events: [anEvent(), anEvent({ args: text, metadata: { note: text } })] }),
  "capture-session": (tenant, text) => post(tenant, "/api/v1/capture-session", aSession({ metadata: { note: text } })),
  hooks: (tenant, text) =>
    post(tenant, "/api/v1/hooks/claude-code", {
      ...{ hook_event_name: "PostToolUse", session_id: uuidv7(), tool_use_id: "a", tool_name: "Bash" },
      ...{ tool_input: { command: text, authorization: "x" }, tool_response: text },
    }),
  transcripts: (tenant, text) =>
    post(tenant, "/api/v1/transcripts/claude-code", {
      lines: [
        JSON.stringify({
          ...{ type: "user", sessionId: uuidv7(), uuid: uuidv7(), timestamp: new Date().toISOString() },
          message: { role: "user", content: text },
        }),
      ],
      end: true,
    }),
  "spans in JSON": (tenant, text) => post(tenant, "/v1/traces", spans(text)),
  "spans in protobuf": ({ url, ingestKey }, text) =>
    postOtlp({ url, key: ingestKey }, "/v1/traces", toProtobuf("traces", spans(text)), {
      "Content-Type": "application/x-protobuf",
    }),
  "names of spans that nobody knows": (tenant, text) => {
    const unknown: any = spans("");
    Object.assign(unknown.resourceSpans[0].scopeSpans[0].spans[0], { name: text, attributes: [] });
    return post(tenant, "/v1/traces", unknown);
  },
  "runs of an SDK": (tenant, text) => {
    const id = uuidv7();
    const times = { start_time: new Date().toISOString(), end_time: new Date().toISOString() };
    const run = { ...{ id, trace_id: id, run_type: "tool", name: "t" }, ...times, inputs: { input: text } };
    return post(tenant, "/sdk/langsmith/runs/batch", { post: [run] });
  },
  "an issue": async (tenant, text) => {
    const { url, apiKey } = tenant;
    const { teamId } = await workspaceOf(tenant);
    const query = `mutation($text: String!) { issueCreate(input: { teamId: "${teamId}", title: "t", description: $text }) { issue { id } } }`;
    return sendGraphQL(url, apiKey, { query, variables: { text } });
  },
};

describe("long text that is recorded", () => {
  for (const [name, send] of Object.entries(ENTRANCES)) {
    it(`holds no secret after another thread searched it: ${name}`, async () => {
      const tenant = await freshOrganization();
      const secret = `ghp_${random(name.length).chars(ALNUM, 36)}`;
      const { status, ...reply } = await send(tenant, longText(secret));
      expect(status, JSON.stringify(reply).slice(0, 300)).to.be.within(200, 204);
      await folded((await sharedServer()).runtime, tenant.organizationId);
      expect(await tablesWith(secret.slice(6, 30))).to.deep.equal([]);
    });
  }

  it("lets the process do other things while it is searched", async function () {
    this.timeout(240_000);
    const tenant = await freshOrganization();
    const gaps: number[] = [];
    let last = performance.now();
    const timer = setInterval(() => {
      gaps.push(performance.now() - last);
      last = performance.now();
    }, 1);
    const begun = performance.now();
    // The dearest text that was known: each name is read from within the value of the one before.
    const { status } = await post(tenant, "/api/v1/capture-event", anEvent({ args: "_KEY=1".repeat(50_000) }));
    const took = performance.now() - begun;
    clearInterval(timer);
    expect(status).to.equal(200);
    expect(Math.max(...gaps), `of ${took} ms`).to.be.below(Math.max(250, took / 2));
  });

  it("costs points of who writes and events of the key that sends it, and is not searched for nothing", async () => {
    const tenant = await freshOrganization();
    const { url, apiKey } = tenant;
    const { teamId } = await workspaceOf(tenant);
    const points = async (description: string) => {
      const query = `mutation($description: String!) { issueCreate(input: { teamId: "${teamId}", title: "t", description: $description }) { issue { id } } }`;
      const { headers } = await sendGraphQL(url, apiKey, { query, variables: { description } });
      return Number(headers.get("X-Complexity"));
    };
    const dear = "password=1 ".repeat(8_000);
    expect(await points(dear)).to.be.greaterThan((await points("plain")) + 20);
  });
});
