import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startOwnCluster } from "../../test/support/db/postgres.ts";
import { LISTENING_LINE, spawnServer } from "../../test/support/run/process.ts";
import { createOrganization, type Tenant } from "../../test/support/server.ts";
import { createIssue, createTeam } from "../../test/support/tracker/stream-writes.ts";
import { readCpuTime } from "../support/cpu.ts";
import { computeMedian } from "../support/figures.ts";
import { SECRET } from "../support/secret.ts";

const SOCKETS = Number(process.env["BENCH_SOCKETS"] ?? 1_000);
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
/** Ticks of one run. /proc counts CPU in hundredths of a second, so a run needs enough ticks. */
const TICKS = Number(process.env["BENCH_TICKS"] ?? 60);
const BURSTS = [1, 10];
/** Maximum server CPU of a delivery, relative to one ws write per socket and to stock socket.io. */
const GOALS = { "1": { ws: 1.3 }, "10": { "socket.io": 0.3 } };

/** A server that sends changes to its sockets. */
interface Contestant {
  name: string;
  pid: number;
  clients: ChildProcess;
  /** Makes `burst` changes in one tick. */
  change(burst: number): unknown;
  stop(): void;
}

/**
 * The cost of one run: µs of the server's CPU per delivery, ms from the change
 * to the last socket, and MB of resident memory.
 */
interface Cost {
  cpu: number;
  last: number;
  resident: number;
}

/**
 * Compares the server's cost of a change for each of 1,000 sockets with raw ws and stock socket.io, interleaved. A
 * tick begins when the previous tick has reached every socket. Trackway reads the log from a separate PostgreSQL
 * cluster, which counts as part of its CPU. The changes are inserted into the log directly, so mutations do not
 * count. Prints a table and a line of JSON.
 */
export async function benchRealtime(): Promise<void> {
  const cluster = await startOwnCluster();
  const all: Contestant[] = [];
  try {
    const ours = await ourServer(cluster.url);
    all.push(ours.contestant, await plainServer("ws", ours.envelope), await plainServer("socket.io", ours.envelope));
    const rows = [];
    for (const burst of BURSTS) {
      const costs = new Map(all.map(({ name }) => [name, [] as Cost[]]));
      for (let round = 0; round <= ROUNDS; round += 1) {
        for (const contestant of all) {
          const cost = await measure(contestant, burst);
          if (round > 0) costs.get(contestant.name)?.push(cost);
        }
      }
      rows.push(...summary(burst, costs));
    }
    console.table(rows);
    console.log(JSON.stringify({ bench: "realtime", sockets: SOCKETS, rounds: ROUNDS, goals: GOALS, rows }));
  } finally {
    for (const { stop, clients } of all) {
      clients.kill();
      stop();
    }
    cluster.remove();
  }
}

async function measure({ pid, clients, change }: Contestant, burst: number): Promise<Cost> {
  let last = 0;
  const before = readCpuTime(pid);
  for (let tick = 0; tick < TICKS; tick += 1) {
    const heard = once(clients, "message");
    clients.send(SOCKETS * burst);
    const begun = performance.now();
    await change(burst);
    await heard;
    last += performance.now() - begun;
  }
  const cpu = (readCpuTime(pid) - before) / (TICKS * burst * SOCKETS);
  const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  return { cpu, last: last / TICKS, resident };
}

function summary(burst: number, costs: ReadonlyMap<string, readonly Cost[]>) {
  const round = (value: number) => Number(value.toPrecision(3));
  const ratios = (name: string, other: string) =>
    (costs.get(name) ?? []).map(({ cpu }, at) => cpu / (costs.get(other)?.[at]?.cpu ?? Number.NaN));
  return [...costs].map(([name, each]) => ({
    server: name,
    burst,
    "µs/delivery": round(computeMedian(each.map(({ cpu }) => cpu))),
    "of ws": round(computeMedian(ratios(name, "ws"))),
    "of socket.io": round(computeMedian(ratios(name, "socket.io"))),
    "ms to the last socket": round(computeMedian(each.map(({ last }) => last))),
    "MB resident": Math.round(computeMedian(each.map(({ resident }) => resident))),
  }));
}

async function ourServer(databaseUrl: string): Promise<{ contestant: Contestant; envelope: object }> {
  const server = spawnServer({
    DATABASE_URL: databaseUrl,
    JWT_SECRET: SECRET,
  });
  const [, url = ""] = await server.printed(LISTENING_LINE);
  const tenant = await createOrganization({ url });
  const { lastSyncId } = await createIssue(tenant, await createTeam(tenant), "An issue whose change is sent");
  const log = await changeLog(databaseUrl, tenant, lastSyncId);
  const clients = await startClients(url, tenant.apiKey);
  const stop = () => {
    void log.end();
    void server.stop();
  };
  return {
    contestant: { name: "ours", pid: Number(server.child.pid), clients, change: log.change, stop },
    envelope: log.envelope,
  };
}

/** Inserts copies of one change into the log as mutations do, and wakes the server. */
async function changeLog(databaseUrl: string, { organizationId }: Tenant, template: number) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query(
    `select action, type, actor, "createdAt", data, "organizationId" from change
      where "organizationId" = $1 and "lastSyncId" = $2`,
    [organizationId, template],
  );
  const text = `with s as (update sync set "lastSyncId" = "lastSyncId" + $3 where "organizationId" = $1 returning "lastSyncId")
    insert into change ("organizationId", "lastSyncId", type, action, event, "entityId", data, actor, "createdAt")
    select c."organizationId", s."lastSyncId" - $3 + g, c.type, c.action, c.event, c."entityId", c.data, c.actor, now()
      from s, change c, generate_series(1, $3) g where c."organizationId" = $1 and c."lastSyncId" = $2`;
  return {
    envelope: rows[0] as object,
    async change(burst: number) {
      await client.query({ name: "change", text, values: [organizationId, template, burst] });
      await client.query("select pg_notify('trackway_wake', $1)", [organizationId]);
    },
    end: () => client.end(),
  };
}

async function plainServer(kind: "ws" | "socket.io", envelope: object): Promise<Contestant> {
  const server = forked("plain.ts", [kind, JSON.stringify(envelope)]);
  const [url] = await once(server, "message");
  const clients = await startClients(url, kind === "ws" ? "" : "stock");
  const change = (burst: number) => server.send(burst);
  return { name: kind, pid: Number(server.pid), clients, change, stop: () => server.kill() };
}

/**
 * Starts a process that holds the sockets. The process reports when the
 * sockets have received a given number of events.
 */
async function startClients(url: string, token: string): Promise<ChildProcess> {
  const clients = forked("clients.ts", [url, token, String(SOCKETS)]);
  await once(clients, "message");
  return clients;
}

const forked = (file: string, args: string[]): ChildProcess =>
  fork(join(import.meta.dirname, file), args, { execArgv: ["--import", "tsx/esm"] });
