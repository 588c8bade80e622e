import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { recountCosts } from "../../../server/jobs/costs.ts";
import { rollUpTotals } from "../../../server/jobs/totals.ts";
import { repairDerivedValues } from "../../support/db/derived.ts";
import { createEvent } from "../../support/recording/ingest.ts";
import { encodeAttributes } from "../../support/recording/telemetry.ts";
import { callRestApi, startSharedServer, type Tenant, waitUntilFolded } from "../../support/server.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

/**
 * Tokens of one model call: input as counted by the agent, output, read from a cache, written to a cache, reasoning.
 */
type Call = [input: number, output: number, read?: number, write?: number | undefined, thoughts?: number];

interface Counted {
  agent: "codex" | "gemini" | "claude" | "genai" | "capture";
  model: string;
  day: string;
  calls: Call[];
  /**
   * Expected cost: the provider's price list in US dollars per million tokens, multiplied by hand. Null if the list
   * has no such model.
   */
  cost: number | null;
}

const M = 1e6;
const DAY = 24 * 60 * 60 * 1000;
const ago = (days: number): string => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
/** Twenty sessions. Codex, Gemini and GenAI include cached tokens in the input; Claude Code counts them separately. */
const SESSIONS: readonly Counted[] = [
  // OpenAI, GPT-5: 1.25 in, 0.125 cached, 10 out.
  { agent: "codex", model: "gpt-5", day: ago(21), calls: [[1_000_000, 100_000]], cost: 1.25 + 1 },
  {
    agent: "codex",
    model: "gpt-5-codex",
    day: ago(21),
    calls: [
      [40_000, 2_000, 30_000],
      [60_000, 3_000, 55_000],
    ],
    cost: (10_000 * 1.25 + 30_000 * 0.125 + 2_000 * 10 + 5_000 * 1.25 + 55_000 * 0.125 + 3_000 * 10) / M,
  },
  { agent: "codex", model: "gpt-5", day: ago(20), calls: [[500_000, 0, 500_000]], cost: (500_000 * 0.125) / M },
  // GPT-5.2: 1.75, 0.175, 14.
  {
    agent: "codex",
    model: "gpt-5.2-codex",
    day: ago(19),
    calls: [[900_000, 40_000, 800_000]],
    cost: (100_000 * 1.75 + 800_000 * 0.175 + 40_000 * 14) / M,
  },
  // GPT-5 mini: 0.25, 0.025, 2.
  {
    agent: "codex",
    model: "gpt-5-mini",
    day: ago(19),
    calls: [[2_000_000, 300_000, 1_000_000]],
    cost: 1 * 0.25 + 1 * 0.025 + 0.3 * 2,
  },
  // GPT-5.4: 2.50, 0.25, 15 for prompts up to 272,000 tokens. For longer prompts the whole call costs 5, 0.50, 22.50.
  {
    agent: "codex",
    model: "gpt-5.4",
    day: ago(18),
    calls: [[200_000, 10_000, 150_000]],
    cost: (50_000 * 2.5 + 150_000 * 0.25 + 10_000 * 15) / M,
  },
  {
    agent: "codex",
    model: "gpt-5.4",
    day: ago(18),
    calls: [[300_000, 10_000, 250_000]],
    cost: (50_000 * 5 + 250_000 * 0.5 + 10_000 * 22.5) / M,
  },
  { agent: "codex", model: "gpt-of-tomorrow", day: ago(18), calls: [[1_000, 100]], cost: null },
  // Gemini 2.5 Pro: 1.25, 0.125, 10 for prompts up to 200,000 tokens, else 2.50, 0.25, 15. Reasoning counts as
  // output.
  {
    agent: "gemini",
    model: "gemini-2.5-pro",
    day: ago(17),
    calls: [[100_000, 5_000, 60_000, undefined, 8_000]],
    cost: (40_000 * 1.25 + 60_000 * 0.125 + 13_000 * 10) / M,
  },
  {
    agent: "gemini",
    model: "gemini-2.5-pro",
    day: ago(17),
    calls: [[400_000, 5_000, 100_000]],
    cost: (300_000 * 2.5 + 100_000 * 0.25 + 5_000 * 15) / M,
  },
  // Gemini 2.5 Flash: 0.30, 0.03, 2.50.
  {
    agent: "gemini",
    model: "gemini-2.5-flash",
    day: ago(16),
    calls: [[1_000_000, 200_000, 500_000, undefined, 100_000]],
    cost: 0.5 * 0.3 + 0.5 * 0.03 + 0.3 * 2.5,
  },
  // Gemini 3 Pro: 2, 0.20, 12.
  {
    agent: "gemini",
    model: "gemini-3-pro-preview",
    day: ago(16),
    calls: [[150_000, 20_000, 50_000]],
    cost: (100_000 * 2 + 50_000 * 0.2 + 20_000 * 12) / M,
  },
  { agent: "gemini", model: "gemini-2.5-flash", day: ago(15), calls: [[0, 0]], cost: 0 },
  // Anthropic, Claude Opus 4.5: 5 in, 0.50 read, 6.25 written, 25 out.
  {
    agent: "claude",
    model: "claude-opus-4-5-20251101",
    day: ago(15),
    calls: [[1_000, 20_000, 900_000, 50_000]],
    cost: (1_000 * 5 + 900_000 * 0.5 + 50_000 * 6.25 + 20_000 * 25) / M,
  },
  // Claude Haiku 4.5: 1, 0.10, 1.25, 5.
  {
    agent: "claude",
    model: "claude-haiku-4-5-20251001",
    day: ago(14),
    calls: [
      [800_000, 30_000, 400_000, 10_000],
      [10, 400, 20_000],
    ],
    cost: (800_000 * 1 + 400_000 * 0.1 + 10_000 * 1.25 + 30_000 * 5 + 10 * 1 + 20_000 * 0.1 + 400 * 5) / M,
  },
  // Copilot CLI writes the version of a Claude model with a dot, and uses the GenAI convention.
  {
    agent: "genai",
    model: "claude-haiku-4.5",
    day: ago(13),
    calls: [[500_000, 10_000, 400_000]],
    cost: (100_000 * 1 + 400_000 * 0.1 + 10_000 * 5) / M,
  },
  // GPT-4o: 2.50, 1.25, 10; through a gateway that prefixes the provider's name.
  {
    agent: "genai",
    model: "openai/gpt-4o",
    day: ago(13),
    calls: [[100_000, 50_000, 40_000]],
    cost: (60_000 * 2.5 + 40_000 * 1.25 + 50_000 * 10) / M,
  },
  {
    agent: "capture",
    model: "gpt-4o",
    day: ago(12),
    calls: [
      [200_000, 10_000, 100_000],
      [1_000, 1_000],
    ],
    cost: (100_000 * 2.5 + 100_000 * 1.25 + 10_000 * 10 + 1_000 * 2.5 + 1_000 * 10) / M,
  },
  // OpenAI's GPT-5.6 Luna cost 1, 0.10 and 6 until 30 July 2026, and 0.20, 0.02 and 1.20 afterwards.
  {
    agent: "capture",
    model: "gpt-5.6-luna",
    day: "2026-07-29",
    calls: [[100_000, 20_000, 50_000]],
    cost: (50_000 * 1 + 50_000 * 0.1 + 20_000 * 6) / M,
  },
  {
    agent: "capture",
    model: "gpt-5.6-luna",
    day: "2026-07-31",
    calls: [[100_000, 20_000, 50_000]],
    cost: (50_000 * 0.2 + 50_000 * 0.02 + 20_000 * 1.2) / M,
  },
];

const NOON = DAY / 2;
const timeOf = ({ day }: Counted, n: number): number => Date.parse(day) + NOON + 60_000 * n;

/** Builds the log record of one call with the attribute names of the agent. */
function recordOf(counted: Counted, id: string, n: number, [input, output, read, write, thoughts]: Call) {
  const { model } = counted;
  const of = {
    codex: ["codex.sse_event", "conversation.id", "input_token_count", "output_token_count", "cached_token_count", ""],
    gemini: [
      "gemini_cli.api_response",
      "session.id",
      "input_token_count",
      "output_token_count",
      "cached_content_token_count",
      "",
    ],
    claude: [
      "api_request",
      "session.id",
      "input_tokens",
      "output_tokens",
      "cache_read_tokens",
      "cache_creation_tokens",
    ],
  }[counted.agent as "codex" | "gemini" | "claude"];
  const [name = "", session = "", ...counts] = of;
  const told = Object.fromEntries(counts.map((key, at) => [key, [input, output, read, write][at]]));
  const at = {
    "event.name": name,
    [session]: id,
    model,
    ...(counted.agent === "codex" && { "event.kind": "response.completed" }),
    ...(counted.agent === "gemini" && { prompt_id: `${id}########${n}`, thoughts_token_count: thoughts ?? 0 }),
    ...(counted.agent === "claude" && { request_id: `req-${id}-${n}`, "prompt.id": id }),
    ...Object.fromEntries(Object.entries(told).filter(([key, value]) => key !== "" && value !== undefined)),
  };
  const body = counted.agent === "claude" ? `claude_code.${name}` : name;
  return { timeUnixNano: `${timeOf(counted, n)}000000`, body: { stringValue: body }, attributes: encodeAttributes(at) };
}

const genAi = (model: string, [input, output, read]: Call) => ({
  "gen_ai.request.model": model,
  "gen_ai.usage.input_tokens": input,
  "gen_ai.usage.output_tokens": output,
  ...(read !== undefined && { "gen_ai.usage.cache_read.input_tokens": read }),
});

function spanOf(counted: Counted, id: string, n: number, told: Call) {
  const at = { "gen_ai.operation.name": "chat", "gen_ai.conversation.id": id, ...genAi(counted.model, told) };
  const time = timeOf(counted, n);
  return {
    traceId: id.replaceAll("-", ""),
    spanId: (n + 1).toString(16).padStart(16, "0"),
    name: "chat",
    startTimeUnixNano: `${time}000000`,
    endTimeUnixNano: `${time + 500}000000`,
    attributes: encodeAttributes(at),
  };
}

/** Sends a session. Returns the session's id. */
async function record({ url, ingestKey }: Tenant, counted: Counted): Promise<string> {
  const id = uuidv7();
  const { agent, model, calls } = counted;
  const post = async (path: string, body: object) => {
    const reply = await callRestApi(url, "POST", path, { body, headers: { "x-api-key": ingestKey } });
    expect(reply.status, JSON.stringify(reply.body)).to.be.within(200, 202);
  };
  if (agent === "capture") {
    const events = calls.map((told, n) =>
      createEvent({ session_id: id, timestamp: timeOf(counted, n), metadata: genAi(model, told) }),
    );
    await post("/api/v1/capture-events", { events });
  } else if (agent === "genai") {
    const spans = calls.map((told, n) => spanOf(counted, id, n, told));
    await post("/v1/traces", { resourceSpans: [{ scopeSpans: [{ spans }] }] });
  } else {
    const logRecords = calls.map((told, n) => recordOf(counted, id, n, told));
    await post("/v1/logs", { resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
  }
  return id;
}

const TOTALS = `query ($id: String!) { recordedSession(id: $id) { id
  totals { cost costSource missingCosts inputTokens } events(first: 50) { nodes { id cost costSource model } } } }`;

const shown = async (tenant: Tenant, id: string) => (await tenant.gql(TOTALS, { id })).recordedSession;

describe("session cost", () => {
  let space: Workspace;
  const ids: string[] = [];

  before(async () => {
    space = await createWorkspace();
    for (const counted of SESSIONS) ids.push(await record(space, counted));
    const { runtime } = await startSharedServer();
    await waitUntilFolded(runtime, space.organizationId);
  });

  for (const [n, { agent, model, cost }] of SESSIONS.entries())
    it(`equals the price list for session ${n + 1}: ${model} of ${agent}`, async () => {
      const { totals, events } = await shown(space, String(ids[n]));
      if (cost === null) expect(totals).to.deep.include({ cost: null, costSource: "none", missingCosts: 1 });
      else {
        expect(totals.cost).to.be.closeTo(cost, 1e-6);
        expect(totals).to.deep.include({ costSource: "computed", missingCosts: 0 });
      }
      const sum = events.nodes.reduce((all: number, event: any) => all + (event.cost ?? 0), 0);
      expect(sum).to.be.closeTo(cost ?? 0, 1e-6);
      for (const event of events.nodes) expect(event.costSource).to.equal(cost === null ? "none" : "computed");
    });

  it("stays the same after the roll-up, and the comparison finds no wrong derived value", async () => {
    const { runtime } = await startSharedServer();
    await rollUpTotals(runtime.db);
    for (const [n, { cost }] of SESSIONS.entries()) {
      const { totals } = await shown(space, String(ids[n]));
      if (cost === null) expect(totals.cost).to.equal(null);
      else expect(totals.cost).to.be.closeTo(cost, 1e-6);
    }
    expect(await repairDerivedValues(space.organizationId)).to.deep.equal({});
  });

  it("is the reported cost, and counts as computed once an event has a computed cost", async () => {
    const session_id = uuidv7();
    const events = [
      createEvent({ session_id, metadata: { ...genAi("gpt-4o", [1_000_000, 0]), "gen_ai.usage.cost": 7 } }),
      createEvent({ session_id, metadata: { "gen_ai.request.model": "gpt-4o" } }),
    ];
    const headers = { "x-api-key": space.ingestKey };
    await callRestApi(space.url, "POST", "/api/v1/capture-events", { body: { events }, headers });
    expect((await shown(space, session_id)).totals).to.include({ cost: 7, costSource: "reported", missingCosts: 0 });
    const more = [createEvent({ session_id, metadata: genAi("gpt-4o", [1_000_000, 0]) })];
    await callRestApi(space.url, "POST", "/api/v1/capture-events", { body: { events: more }, headers });
    expect((await shown(space, session_id)).totals).to.include({ cost: 9.5, costSource: "computed" });
  });

  it("follows an organization's own prices, is absent while prices are off, and returns when they are on", async () => {
    const { runtime } = await startSharedServer();
    const set = async (input: object) => {
      await space.does("organizationUpdate", { input }, "organization { ownPrices pricesEnabled }");
      await new Promise((done) => setTimeout(done, 1_100));
      await recountCosts(runtime, "interval '0'");
      expect(await repairDerivedValues(space.organizationId)).to.deep.equal({});
    };
    const costs = async () => Promise.all(ids.map(async (id) => (await shown(space, id)).totals.cost));
    const before = await costs();
    const price = { model: "gpt-of-*", input: 1_000, output: 10_000, from: ago(18) };
    await set({ ownPrices: [price, { model: "gpt-5", input: 2, output: 20, from: ago(20) }] });
    const own = [...before];
    // 1,000 tokens at 1,000 per million and 100 at 10,000; for session 3, 500,000 cached tokens at 2.
    own[7] = 2;
    own[2] = 1;
    expect(await costs()).to.deep.equal(own);
    await set({ pricesEnabled: false });
    const recent = (n: number) => Date.parse(String(SESSIONS[n]?.day)) > Date.now() - 90 * DAY;
    expect(await costs()).to.deep.equal(before.map((cost, n) => (recent(n) ? null : cost)));
    await set({ pricesEnabled: true, ownPrices: [] });
    expect(await costs()).to.deep.equal(before);
    const { entries } = (await space.rest("GET", "/api/audit?event=organization.prices")).body as any;
    expect(entries).to.have.length(3);
    expect(entries.at(-1).detail.ownPrices[0]).to.deep.equal(price);
  });

  it("refuses invalid prices and names the field", async () => {
    const refused = (price: object) => space.refuses("organizationUpdate", { input: { ownPrices: [price] } });
    const price = { model: "m", input: 1, output: 1, from: "2026-01-01" };
    expect((await refused({ ...price, input: -1 })).field).to.equal("input.ownPrices.0.input");
    expect((await refused({ ...price, model: "a**" })).field).to.equal("input.ownPrices.0.model");
    expect((await refused({ ...price, model: " " })).field).to.equal("input.ownPrices.0.model");
  });
});
