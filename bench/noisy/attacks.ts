import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { anEvent } from "../../test/support/recording/ingest.ts";
import { toProtobuf } from "../../test/support/recording/otlp.ts";
import { sendGraphQL, type Tenant } from "../../test/support/server.ts";
import { actionsOf, ask, type Met, rowsOf } from "./besides.ts";

/** The organization that attacks, and the one that goes on working. */
export interface Sides {
  hostile: Tenant;
  other: Tenant;
}

const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 30);
/** Scans sent at once, and exports of spans. */
const [SCANS, EXPORTS] = [5, 2];
const MIB = 1024 * 1024;

/** Sends one request and returns its status. `turn` counts the requests of the attack. */
type Send = (turn: number) => Promise<number>;

/** An attack: how many requests are under way at once, and what the caller waits for after each. */
interface Attack {
  name: string;
  atOnce: number;
  send: Send;
}

/** Measures what another organization meets during each attack, in milliseconds, and how /api/health/live responds. */
export async function attacked({ hostile, other }: Sides): Promise<(Met & { attack: string })[]> {
  const actions = await actionsOf(other);
  const quiet = await ask(actions, 5_000);
  const rows = rowsOf(0, quiet, quiet, { answered: 0, unavailable: 0 }).map((row) => ({ attack: "none", ...row }));
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
    const met = await ask(actions, SECONDS * 1_000);
    await attack;
    rows.push(...rowsOf(atOnce, met, quiet, heard).map((row) => ({ attack: name, ...row })));
    await sleep(5_000);
  }
  return rows;
}

/** The attacks of findings 1 and 2: text full of triggers at every entrance, and spans that each name a trace of their own. */
async function attacksBy({ url, apiKey, ingestKey }: Tenant): Promise<Attack[]> {
  const { teams } = (await sendGraphQL(url, apiKey, { query: "{ teams(first: 1) { nodes { id } } }" })).data ?? {};
  const post = (path: string, body: string | Buffer, type = "application/json") =>
    fetch(url + path, {
      method: "POST",
      headers: { "Content-Type": type, "x-api-key": ingestKey },
      body,
    }).then((response) => response.arrayBuffer().then(() => response.status));
  const full = "_KEY=1".repeat(Math.floor(MIB / 6));
  const event = () => anEvent({ args: full });
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
  // Made beforehand: the attack takes no time from the process that measures.
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

/** Calls of tools, each in a trace and a session of its own. */
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
