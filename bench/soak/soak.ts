import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createDatabase } from "../../test/support/db/postgres.ts";
import { LISTENING_LINE, type ServerProcess, spawnServer } from "../../test/support/run/process.ts";
import { SECRET } from "../support/secret.ts";
import { runLoad } from "./load.ts";
import { judgeSamples, type Sample, takeSample } from "./samples.ts";
import { computeGrowth, readTableSizes } from "./tables.ts";
import { newTimings } from "./timings.ts";

const MINUTES = Math.min(240, Math.max(1, Number(process.env["BENCH_MINUTES"] ?? 60)));
/** Requests per second. */
const RATE = Math.min(500, Math.max(1, Number(process.env["BENCH_RATE"] ?? 30)));
/** The minutes at which the tables are counted. */
const WARM = Math.min(10, Math.floor(MINUTES / 3));
const MOMENTS = [WARM, Math.floor((WARM + MINUTES) / 2), MINUTES];

/**
 * Loads a server with a mix of requests for an hour and prints its memory and response times each minute: GraphQL
 * documents, unique and repeated, ingestion, changes with webhooks, short-lived sockets, new organizations. At the
 * end, reports which tables grew, and the rule that deletes their rows. Uses a fresh database at TEST_DATABASE_URL,
 * or an embedded database. BENCH_MINUTES and BENCH_RATE set the size.
 */
export async function benchSoak(): Promise<void> {
  const fresh = process.env["TEST_DATABASE_URL"] ? await createDatabase() : undefined;
  const engine = fresh ? "postgresql" : "embedded";
  const receiver = createServer((request, response) => request.resume().once("end", () => response.end()));
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const server = spawnServer(await environment(fresh?.url));
  try {
    const url = (await server.printed(LISTENING_LINE))[1] ?? "";
    const stop = new AbortController();
    const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const timings = newTimings();
    const loading = runLoad({ url, receiver: hook, rate: RATE, timings }, stop.signal);
    const samples: Sample[] = [];
    const moments = [];
    for (let minute = 0; minute <= MINUTES; minute += 1) {
      if (minute > 0) await Promise.race([sleep(60_000), gone(server), loading]);
      samples.push(await takeSample(url, minute, timings));
      console.log(JSON.stringify({ bench: "soak", engine, ...samples.at(-1) }));
      if (fresh && MOMENTS.includes(minute)) moments.push(await readTableSizes(fresh.url));
    }
    stop.abort();
    const done = await loading;
    const tables = moments.length === MOMENTS.length && computeGrowth(moments, (MINUTES - WARM) / 60);
    console.log(
      JSON.stringify({ bench: "soak", engine, rate: RATE, minutes: MINUTES, done, ...judgeSamples(samples), tables }),
    );
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
