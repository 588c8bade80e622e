import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { toCallId } from "../../server/ingest/observe/fold/ids.ts";
import { foldLockKey } from "../../server/ingest/observe/project/transaction.ts";
import { startOwnCluster } from "../../test/support/db/postgres.ts";
import { toProtobuf } from "../../test/support/recording/otlp.ts";
import { readCpuTime } from "../support/cpu.ts";
import { computeMedian } from "../support/figures.ts";
import { postAll } from "../support/post.ts";
import { findPostmaster } from "../support/postmaster.ts";
import { prepareDatabase, startOwnServer } from "./contestants.ts";
import { newEvents, type SentEvent } from "./rows.ts";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
/** Seconds at half the maximum rate, and earlier seconds with single spans only. */
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 10);
const CALM_SECONDS = 10;
const SIZE = 500;
const REQUESTS = 20;
const CONNECTIONS = 2;
/**
 * Limits. The cost of a span as a multiple of the cost of an equal capture-events event: until the span is an event
 * (`ratio`), and until the response (`append`). The bytes on disk, including the event, as a multiple of the event's
 * bytes. The ms until a span is an event: the maximum under load, and the 95th percentile of single spans.
 */
const GOALS = { ratio: 2.5, append: 1.5, disk: 1.6, lag: 1_000, shown: 300 };

/** CPU time in µs per event: of the server, and of the server with PostgreSQL. */
interface Cost {
  server: number;
  all: number;
}

/** A request format for the same events. */
interface Way {
  name: "capture-events" | "spans" | "append";
  path: string;
  type: string;
  encode(events: readonly SentEvent[]): Buffer;
}

const protobuf = { path: "/v1/traces", type: "application/x-protobuf", encode: encodeSpans };
const WAYS: readonly Way[] = [
  {
    name: "capture-events",
    path: "/api/v1/capture-events",
    type: "application/json",
    encode: (events) => Buffer.from(JSON.stringify({ events })),
  },
  { name: "spans", ...protobuf },
  { name: "append", ...protobuf },
];

/**
 * Compares protobuf spans of tools with capture-events of the same content, interleaved, on a separate PostgreSQL
 * cluster. CPU counts the server's process and all of PostgreSQL: until the spans are events, and for appending alone
 * while the fold waits for its lock.
 */
export async function benchSpans(): Promise<void> {
  const cluster = await startOwnCluster();
  await prepareDatabase(cluster.url);
  const place = await startOwnServer(cluster.url);
  const client = new pg.Client(cluster.url);
  await client.connect();
  try {
    const postmaster = await findPostmaster(cluster.url);
    const lock = foldLockKey((await client.query("select id from organization")).rows[0].id);
    const post = ({ path, type }: Way, bodies: readonly Buffer[]) =>
      postAll(place.url + path, bodies, CONNECTIONS, { "x-api-key": place.key, "Content-Type": type });
    const costs: Record<Way["name"], Cost[]> = { "capture-events": [], spans: [], append: [] };
    const seconds: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const way of WAYS) {
        const bodies = Array.from({ length: REQUESTS }, () => way.encode(newEvents(SIZE, 600)));
        if (way.name === "append") await client.query(`select pg_advisory_lock(${lock})`);
        const before = [performance.now(), readCpuTime(place.pid), readCpuTime(postmaster)] as const;
        await post(way, bodies);
        if (way.name === "spans") await untilFolded(client);
        const server = (readCpuTime(place.pid) - before[1]) / (REQUESTS * SIZE);
        const database = (readCpuTime(postmaster) - before[2]) / (REQUESTS * SIZE);
        if (way.name === "spans") seconds.push((performance.now() - before[0]) / 1_000);
        if (round > 0) costs[way.name].push({ server, all: server + database }); // The first round warms up.
        if (way.name !== "append") continue;
        await client.query(`select pg_advisory_unlock(${lock})`);
        await untilFolded(client);
      }
    }
    const figures = (name: Way["name"]) => ({
      µs: Math.round(computeMedian(costs[name].map(({ all }) => all))),
      "of it server": Math.round(computeMedian(costs[name].map(({ server }) => server))),
    });
    const [event, span, append] = [figures("capture-events"), figures("spans"), figures("append")];
    const ratioTo = (µs: number) => Number((µs / event.µs).toFixed(2));
    const peak = (REQUESTS * SIZE) / computeMedian(seconds);
    const postSpans = (body: Buffer) => post(WAYS[1] as Way, [body]);
    const shown = { calm: await shownAfter(cluster.url, postSpans, CALM_SECONDS), beside: {} };
    const [lag, beside] = await Promise.all([
      lagAt(peak / 2, client, postSpans),
      shownAfter(cluster.url, postSpans, SECONDS),
    ]);
    shown.beside = beside;
    const disk = await diskRatio(client);
    const ratios = { ratio: ratioTo(span.µs), append: ratioTo(append.µs), disk };
    console.log(
      JSON.stringify({
        bench: "spans",
        rounds: ROUNDS,
        cpu: { event, span, append },
        ratios,
        lag,
        shown,
        goals: GOALS,
      }),
    );
  } finally {
    await client.end();
    place.stop();
    cluster.remove();
  }
}

/** Waits until all appended observations are folded into events. */
async function untilFolded(client: pg.Client): Promise<void> {
  const left = async () => (await client.query("select from recorded_unfolded limit 1")).rowCount;
  while (await left()) await sleep(20);
}

/** Posts spans at a rate, and samples the age in ms of the oldest observation that is not folded. */
async function lagAt(rate: number, client: pg.Client, post: (body: Buffer) => Promise<unknown>) {
  const text =
    "select coalesce(extract(epoch from now() - min(received_at)) * 1000, 0)::float8 as age from recorded_unfolded";
  const ages: number[] = [];
  const begun = performance.now();
  let sent = 0;
  const posting = new Set<Promise<unknown>>();
  while (performance.now() - begun < SECONDS * 1_000) {
    for (; sent < ((performance.now() - begun) / 1_000) * rate; sent += SIZE) {
      const one = post(encodeSpans(newEvents(SIZE, 600))).finally(() => posting.delete(one));
      posting.add(one);
    }
    ages.push((await client.query(text)).rows[0].age);
    await sleep(25);
  }
  await Promise.all(posting);
  return { "spans/s": Math.round(rate), seconds: SECONDS, ...shares(ages) };
}

/** Posts single spans one after the other, and measures the ms from each response until the span is an event. */
async function shownAfter(url: string, post: (body: Buffer) => Promise<unknown>, seconds: number) {
  const client = new pg.Client(url);
  await client.connect();
  const text = "select from organization o join recorded_event on organization_id = o.id where event_id = $1";
  const waits: number[] = [];
  for (const begun = performance.now(); performance.now() - begun < seconds * 1_000; await sleep(50)) {
    const events = newEvents(1, 600);
    const [id] = events.map(({ session_id, event_id }) => toCallId(session_id, event_id));
    await post(encodeSpans(events));
    const answered = performance.now();
    while ((await client.query(text, [id])).rowCount === 0) await sleep(5);
    waits.push(performance.now() - answered);
  }
  await client.end();
  return { spans: waits.length, ...shares(waits) };
}

function shares(ms: number[]) {
  ms.sort((a, b) => a - b);
  const part = (share: number) => Math.round(ms[Math.floor(share * (ms.length - 1))] ?? Number.NaN);
  return { p50: part(0.5), p95: part(0.95), most: part(1) };
}

/** The bytes of events and their observations, as a multiple of the bytes of the events alone. */
async function diskRatio(client: pg.Client): Promise<number> {
  const bytes = async (table: string, where = "true") => {
    const { rows } = await client.query(
      `select pg_total_relation_size('${table}') * (count(*) filter (where ${where}))::float8 / count(*) as bytes from ${table}`,
    );
    return rows[0].bytes as number;
  };
  const events = await bytes("recorded_event", "part is not null");
  return Number(((events + (await bytes("recorded_observation"))) / events).toFixed(2));
}

/** Encodes the events as spans of the GenAI conventions, under one turn span per session. */
function encodeSpans(events: readonly SentEvent[]): Buffer {
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
