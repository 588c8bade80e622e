import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { ownCluster } from "../../test/support/db/postgres.ts";
import { LISTENING, spawnServer } from "../../test/support/run/process.ts";
import { freshOrganization, type Tenant } from "../../test/support/server.ts";
import { makeIssue, makeTeam } from "../../test/support/tracker/stream-writes.ts";
import { cpuOf } from "../support/cpu.ts";
import { middle } from "../support/figures.ts";
import { SECRET } from "../support/secret.ts";

const SOCKETS = Number(process.env["BENCH_SOCKETS"] ?? 1_000);
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
/** Ticks of one run: enough for CPU that /proc counts in hundredths of a second. */
const TICKS = Number(process.env["BENCH_TICKS"] ?? 60);
const BURSTS = [1, 10];
/** Server CPU of a delivery, as a share of one ws write a socket and of stock socket.io. */
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

/** The cost of one run: µs of the server's CPU a delivery, ms from the change to the last socket, MB resident. */
interface Cost {
  cpu: number;
  last: number;
  resident: number;
}

/**
 * Measures what a change costs the server for each of 1,000 sockets, beside raw ws and stock socket.io, interleaved.
 * A tick begins when the one before has reached every socket. Ours reads the log from a PostgreSQL cluster of its own,
 * which is part of its CPU; the changes are rows of the log, so that no mutation is. Prints a table and a line of JSON.
 */
export async function benchRealtime(): Promise<void> {
  const cluster = await ownCluster();
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
  const before = cpuOf(pid);
  for (let tick = 0; tick < TICKS; tick += 1) {
    const heard = once(clients, "message");
    clients.send(SOCKETS * burst);
    const begun = performance.now();
    await change(burst);
    await heard;
    last += performance.now() - begun;
  }
  const cpu = (cpuOf(pid) - before) / (TICKS * burst * SOCKETS);
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
    "µs/delivery": round(middle(each.map(({ cpu }) => cpu))),
    "of ws": round(middle(ratios(name, "ws"))),
    "of socket.io": round(middle(ratios(name, "socket.io"))),
    "ms to the last socket": round(middle(each.map(({ last }) => last))),
    "MB resident": Math.round(middle(each.map(({ resident }) => resident))),
  }));
}

async function ourServer(databaseUrl: string): Promise<{ contestant: Contestant; envelope: object }> {
  const server = spawnServer({
    DATABASE_URL: databaseUrl,
    JWT_SECRET: SECRET,
  });
  const [, url = ""] = await server.printed(LISTENING);
  const tenant = await freshOrganization({ url });
  const { lastSyncId } = await makeIssue(tenant, await makeTeam(tenant), "An issue whose change is sent");
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

/** Writes copies of one change into the log as mutations do, and wakes the server. */
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

/** Starts a process that holds the sockets. It reports when they have received a given number of events. */
async function startClients(url: string, token: string): Promise<ChildProcess> {
  const clients = forked("clients.ts", [url, token, String(SOCKETS)]);
  await once(clients, "message");
  return clients;
}

const forked = (file: string, args: string[]): ChildProcess =>
  fork(join(import.meta.dirname, file), args, { execArgv: ["--import", "tsx/esm"] });
