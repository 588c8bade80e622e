import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { findTablesWith } from "../support/db/tables-with.ts";
import { createEvent, createSession } from "../support/recording/ingest.ts";
import { postOtlp, toProtobuf } from "../support/recording/otlp.ts";
import {
  callRestApi,
  createOrganization,
  sendGraphQL,
  startSharedServer,
  type Tenant,
  waitUntilFolded,
} from "../support/server.ts";
import { createWorkspaceIn } from "../support/workspace.ts";
import { ALNUM, random } from "./corpus/random.ts";

/** Text long enough for a scan thread, with a secret at the end. */
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
  callRestApi(url, "POST", path, { body, headers: { "x-api-key": ingestKey } });

/** Every endpoint that accepts text from a program, with the status of a success. */
const ENTRANCES: Readonly<Record<string, (tenant: Tenant, text: string) => Promise<{ status: number }>>> = {
  "capture-event": (tenant, text) => post(tenant, "/api/v1/capture-event", createEvent({ result: text })),
  "capture-events": (tenant, text) =>
    post(tenant, "/api/v1/capture-events", {
      events: [createEvent(), createEvent({ args: text, metadata: { note: text } })],
    }),
  "capture-session": (tenant, text) =>
    post(tenant, "/api/v1/capture-session", createSession({ metadata: { note: text } })),
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
    const { teamId } = await createWorkspaceIn(tenant);
    const query = `mutation($text: String!) { issueCreate(input: { teamId: "${teamId}", title: "t", description: $text }) { issue { id } } }`;
    return sendGraphQL(url, apiKey, { query, variables: { text } });
  },
};

describe("recorded long text", () => {
  for (const [name, send] of Object.entries(ENTRANCES)) {
    it(`contains no secret after a scan on another thread: ${name}`, async () => {
      const tenant = await createOrganization();
      const secret = `ghp_${random(name.length).chars(ALNUM, 36)}`;
      const { status, ...reply } = await send(tenant, longText(secret));
      expect(status, JSON.stringify(reply).slice(0, 300)).to.be.within(200, 204);
      await waitUntilFolded((await startSharedServer()).runtime, tenant.organizationId);
      expect(await findTablesWith(secret.slice(6, 30))).to.deep.equal([]);
    });
  }

  it("does not block the process during the scan", async () => {
    const tenant = await createOrganization();
    const gaps: number[] = [];
    let last = performance.now();
    const timer = setInterval(() => {
      gaps.push(performance.now() - last);
      last = performance.now();
    }, 1);
    const begun = performance.now();
    // The slowest known text: the scanner reads each name from within the value of the previous name.
    const { status } = await post(tenant, "/api/v1/capture-event", createEvent({ args: "_KEY=1".repeat(50_000) }));
    const took = performance.now() - begun;
    clearInterval(timer);
    expect(status).to.equal(200);
    expect(Math.max(...gaps), `of ${took} ms`).to.be.below(Math.max(250, took / 2));
  });

  it("costs the writer points and the ingest key events, and is never scanned for free", async () => {
    const tenant = await createOrganization();
    const { url, apiKey } = tenant;
    const { teamId } = await createWorkspaceIn(tenant);
    const points = async (description: string) => {
      const query = `mutation($description: String!) { issueCreate(input: { teamId: "${teamId}", title: "t", description: $description }) { issue { id } } }`;
      const { headers } = await sendGraphQL(url, apiKey, { query, variables: { description } });
      return Number(headers.get("X-Complexity"));
    };
    const dear = "password=1 ".repeat(8_000);
    expect(await points(dear)).to.be.greaterThan((await points("plain")) + 20);
  });
});
