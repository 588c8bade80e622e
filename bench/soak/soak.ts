import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freshDatabase } from "../../test/support/postgres.ts";
import { LISTENING, type ServerProcess, spawnServer } from "../../test/support/process.ts";
import { middle } from "../support/figures.ts";
import { SECRET } from "../support/secret.ts";
import { load } from "./load.ts";

const MINUTES = Math.min(240, Math.max(1, Number(process.env["BENCH_MINUTES"] ?? 60)));
/** Requests a second. */
const RATE = Math.min(500, Math.max(1, Number(process.env["BENCH_RATE"] ?? 30)));
/** Caches fill and code is compiled until then. */
const WARM_MINUTES = 10;
/** How much more than after warming up counts as flat. */
const FLAT_SHARE = 0.05;

interface Sample {
  minute: number;
  rssMB: number;
  heapMB: number;
  heapTotalMB: number;
  externalMB: number;
  cachesMB: number;
}

/**
 * Loads a server with a mix of everything for an hour and prints its memory each minute: GraphQL documents that never
 * come again and some that always do, ingestion, changes with webhooks, sockets that come and go, new organizations.
 * On a fresh database at TEST_DATABASE_URL, else on an embedded one. BENCH_MINUTES and BENCH_RATE set the size.
 */
export async function benchSoak(): Promise<void> {
  const fresh = process.env["TEST_DATABASE_URL"] ? await freshDatabase() : undefined;
  const engine = fresh ? "postgresql" : "embedded";
  const receiver = createServer((request, response) => request.resume().once("end", () => response.end()));
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const server = spawnServer(await environment(fresh?.url));
  try {
    const url = (await server.printed(LISTENING))[1] ?? "";
    const stop = new AbortController();
    const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const loading = load(url, hook, RATE, stop.signal);
    const samples: Sample[] = [];
    for (let minute = 0; minute <= MINUTES; minute += 1) {
      if (minute > 0) await Promise.race([sleep(60_000), gone(server), loading]);
      samples.push(await sample(url, minute));
      console.log(JSON.stringify({ bench: "soak", engine, ...samples.at(-1) }));
    }
    stop.abort();
    const done = await loading;
    console.log(JSON.stringify({ bench: "soak", engine, rate: RATE, minutes: MINUTES, done, ...verdict(samples) }));
  } finally {
    await server.stop();
    receiver.closeAllConnections();
    receiver.close();
    await fresh?.drop();
  }
}

async function environment(databaseUrl: string | undefined): Promise<Record<string, string>> {
  return {
    DATA_DIR: await mkdtemp(join(tmpdir(), "trackway-soak-")),
    METRICS: "on",
    TRACKWAY_BOOTSTRAP: "off",
    GRAPHQL_REQUESTS_PER_HOUR: "off",
    GRAPHQL_COMPLEXITY_PER_HOUR: "off",
    INGEST_RATE_REQUESTS: "off",
    INGEST_RATE_EVENTS: "off",
    LOGIN_THROTTLE: "off",
    WEBHOOK_ALLOW_PRIVATE: "on",
    ...(databaseUrl && { DATABASE_URL: databaseUrl, JWT_SECRET: SECRET }),
  };
}

const gone = ({ ended }: ServerProcess): Promise<never> =>
  ended.then((code) => {
    throw new Error(`the server ended with code ${code}`);
  });

/** The process' memory by its own metrics. */
async function sample(url: string, minute: number): Promise<Sample> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const of = (name: string) => {
    const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))].map((match) =>
      Number(match[1]),
    );
    return Math.round(values.reduce((sum, value) => sum + value, 0) / 104_857.6) / 10;
  };
  return {
    minute,
    rssMB: of("process_resident_memory_bytes"),
    heapMB: of("nodejs_heap_size_used_bytes"),
    heapTotalMB: of("nodejs_heap_size_total_bytes"),
    externalMB: of("nodejs_external_memory_bytes"),
    cachesMB: of("cache_bytes"),
  };
}

/** Flat: in the last third of the time after warming up, RSS is at most 5 % above the first third of it. */
function verdict(samples: readonly Sample[]) {
  const after = samples.filter(({ minute }) => minute >= WARM_MINUTES).map(({ rssMB }) => rssMB);
  const third = Math.ceil(after.length / 3);
  const [first, last] = [middle(after.slice(0, third)), middle(after.slice(-third))];
  return {
    warmRssMB: first,
    lastRssMB: last,
    flat: after.length < 3 ? "too short to say" : last <= first * (1 + FLAT_SHARE),
  };
}
