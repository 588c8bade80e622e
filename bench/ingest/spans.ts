import { randomBytes } from "node:crypto";
import { toProtobuf } from "../../test/support/otlp.ts";
import { ownCluster } from "../../test/support/postgres.ts";
import { cpuOf } from "../support/cpu.ts";
import { middle } from "../support/figures.ts";
import { postAll } from "../support/post.ts";
import { postmasterOf } from "../support/postmaster.ts";
import { ourPlace, prepareDatabase } from "./contestants.ts";
import { newEvents, type SentEvent } from "./rows.ts";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
const SIZE = 500;
const REQUESTS = 20;
const CONNECTIONS = 2;
/** The most that a span may cost, as a multiple of an event of capture-events with the same content. */
const GOAL = 3;

/** CPU time, µs an event: the server's, and with PostgreSQL's. */
interface Cost {
  server: number;
  all: number;
}

/** One way to send the same events. */
interface Way {
  name: "capture-events" | "spans";
  path: string;
  type: string;
  encode(events: readonly SentEvent[]): Buffer;
}

const WAYS: readonly Way[] = [
  {
    name: "capture-events",
    path: "/api/v1/capture-events",
    type: "application/json",
    encode: (events) => Buffer.from(JSON.stringify({ events })),
  },
  { name: "spans", path: "/v1/traces", type: "application/x-protobuf", encode: spansOf },
];

/**
 * Measures spans of tools in protobuf beside capture-events with the same content, interleaved, on a PostgreSQL cluster of
 * its own. CPU counts the server's process and all of PostgreSQL.
 */
export async function benchSpans(): Promise<void> {
  const cluster = await ownCluster();
  await prepareDatabase(cluster.url);
  const place = await ourPlace(cluster.url);
  try {
    const postmaster = await postmasterOf(cluster.url);
    const costs: Record<Way["name"], Cost[]> = { "capture-events": [], spans: [] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const { name, path, type, encode } of WAYS) {
        const bodies = Array.from({ length: REQUESTS }, () => encode(newEvents(SIZE, 600)));
        const before = [cpuOf(place.pid), cpuOf(postmaster)] as const;
        await postAll(place.url + path, bodies, CONNECTIONS, { "x-api-key": place.key, "Content-Type": type });
        const server = (cpuOf(place.pid) - before[0]) / (REQUESTS * SIZE);
        const database = (cpuOf(postmaster) - before[1]) / (REQUESTS * SIZE);
        if (round > 0) costs[name].push({ server, all: server + database }); // The first warms up.
      }
    }
    const figures = (name: Way["name"]) => ({
      µs: Math.round(middle(costs[name].map(({ all }) => all))),
      "of it server": Math.round(middle(costs[name].map(({ server }) => server))),
    });
    const [event, span] = [figures("capture-events"), figures("spans")];
    const ratio = Number((span.µs / event.µs).toFixed(2));
    console.log(JSON.stringify({ bench: "spans", rounds: ROUNDS, event, span, ratio, goal: GOAL }));
  } finally {
    place.stop();
    cluster.remove();
  }
}

/** The same events as spans of GenAI's convention, under a turn's span for each session. */
function spansOf(events: readonly SentEvent[]): Buffer {
  const traces = new Map<string, string>();
  const spans = events.map((event) => {
    const traceId = traces.get(event.session_id) ?? randomBytes(16).toString("hex");
    traces.set(event.session_id, traceId);
    return {
      traceId,
      spanId: randomBytes(8).toString("hex"),
      name: `execute_tool ${event.primitive_name}`,
      startTimeUnixNano: `${event.timestamp}000000`,
      endTimeUnixNano: `${event.timestamp + event.latency}000000`,
      attributes: attributes({
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.conversation.id": event.session_id,
        "gen_ai.tool.call.id": event.event_id,
        "gen_ai.tool.name": event.primitive_name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.arguments": event.args,
        "gen_ai.tool.call.result": event.result,
      }),
      status: event.success ? {} : { code: 2 },
    };
  });
  const resource = { attributes: attributes({ "service.name": "bench" }) };
  return toProtobuf("traces", { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
}

const attributes = (values: Record<string, string>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
