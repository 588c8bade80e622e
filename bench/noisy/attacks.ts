import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createEvent } from "../../test/support/recording/ingest.ts";
import { toProtobuf } from "../../test/support/recording/otlp.ts";
import { sendGraphQL, type Tenant } from "../../test/support/server.ts";
import { buildFigures, createActions, type MeasuredAction, repeatActions } from "./besides.ts";

/** The attacking organization, and an organization that continues to work. */
export interface Sides {
  hostile: Tenant;
  other: Tenant;
}

const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 30);
/** Concurrent scan requests, and concurrent exports of spans. */
const [SCANS, EXPORTS] = [5, 2];
const MIB = 1024 * 1024;

/** Sends one request and resolves to the status. `turn` counts the requests of the attack. */
type Send = (turn: number) => Promise<number>;

/** An attack: the number of concurrent requests, and the function that sends a request. */
interface Attack {
  name: string;
  atOnce: number;
  send: Send;
}

/** Measures the response times of another organization during each attack, in ms, including /api/health/live. */
export async function measureUnderAttack({ hostile, other }: Sides): Promise<(MeasuredAction & { attack: string })[]> {
  const actions = await createActions(other);
  const quiet = await repeatActions(actions, 5_000);
  const rows = buildFigures(0, quiet, quiet, { answered: 0, unavailable: 0 }).map((row) => ({
    attack: "none",
    ...row,
  }));
  for (const { name, atOnce, send } of await attacksBy(hostile)) {
    const until = performance.now() + SECONDS * 1_000;
    const heard = { answered: 0, unavailable: 0 };
    let turn = 0;
    const one = async () => {
      while (performance.now() < until) {
        turn += 1;
        const status = await send(turn).catch(() => 0);
        if (status >= 200 && status < 300) heard.answered += 1;
        else {
          heard.unavailable += 1;
          await sleep(200);
        }
      }
    };
    const attack = Promise.all(Array.from({ length: atOnce }, one));
    const met = await repeatActions(actions, SECONDS * 1_000);
    await attack;
    rows.push(...buildFigures(atOnce, met, quiet, heard).map((row) => ({ attack: name, ...row })));
    await sleep(5_000);
  }
  return rows;
}

/** Two attacks: text full of redaction triggers at every endpoint, and spans of which each names a new trace. */
async function attacksBy({ url, apiKey, ingestKey }: Tenant): Promise<Attack[]> {
  const { teams } = (await sendGraphQL(url, apiKey, { query: "{ teams(first: 1) { nodes { id } } }" })).data ?? {};
  const post = (path: string, body: string | Buffer, type = "application/json") =>
    fetch(url + path, {
      method: "POST",
      headers: { "Content-Type": type, "x-api-key": ingestKey },
      body,
    }).then((response) => response.arrayBuffer().then(() => response.status));
  const full = "_KEY=1".repeat(Math.floor(MIB / 6));
  const event = () => createEvent({ args: full });
  const create = `mutation($text: String!) { issueCreate(input: { teamId: "${teams?.nodes[0].id}", title: "t", description: $text }) { issue { id } } }`;
  const scans: Send[] = [
    () => post("/api/v1/capture-event", JSON.stringify(event())),
    () => post("/api/v1/capture-events", JSON.stringify({ events: [event(), event(), event()] })),
    () =>
      post(
        "/api/v1/hooks/claude-code",
        JSON.stringify({
          ...{ hook_event_name: "PostToolUse", session_id: randomBytes(8).toString("hex"), tool_use_id: "a" },
          ...{ tool_name: "Bash", tool_input: { command: full }, tool_response: "done" },
        }),
      ),
    () => post("/v1/traces", JSON.stringify(spansOf(1, full))),
    async () => (await sendGraphQL(url, apiKey, { query: create, variables: { text: full.slice(0, 250_000) } })).status,
  ];
  // The bodies are built in advance, so that the attack costs the measuring process no time.
  const exports = Array.from({ length: 8 }, () => toProtobuf("traces", spansOf(10_000, "")));
  return [
    { name: "scanner", atOnce: SCANS, send: (turn) => (scans[turn % scans.length] as Send)(turn) },
    {
      name: "spans",
      atOnce: EXPORTS,
      send: (turn) => post("/v1/traces", exports[turn % exports.length] as Buffer, "application/x-protobuf"),
    },
  ];
}

/** Tool calls, each in a new trace and a new session. */
function spansOf(count: number, args: string): object {
  const spans = Array.from({ length: count }, () => ({
    traceId: randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now() + 5}000000`,
    attributes: Object.entries({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "t",
      ...(args && { "gen_ai.tool.call.arguments": args }),
    }).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  }));
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
}
