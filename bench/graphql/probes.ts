import { PROBES, type Probe, send } from "../../test/support/hostile/probes.ts";
import { LISTENING, spawnServer } from "../../test/support/run/process.ts";
import { freshOrganization } from "../../test/support/server.ts";
import { middle } from "../support/figures.ts";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
/** The most that a hostile request may take, and keep others waiting, in ms. */
const GOAL_MS = 100;

/**
 * Measures how long each hostile request takes to be refused, and how long the server answers nobody else meanwhile.
 * Prints a table and one line of JSON.
 */
export async function benchProbes(): Promise<void> {
  const server = spawnServer({ TRACKWAY_BOOTSTRAP: "off", GRAPHQL_REQUESTS_PER_HOUR: "off" });
  try {
    const url = (await server.printed(LISTENING))[1] ?? "";
    const { apiKey } = await freshOrganization({ url });
    await measure(url, apiKey, PROBES[0] as Probe);
    const rows = [];
    for (const probe of PROBES) {
      const runs: { ms: number; blocked: number }[] = [];
      for (let round = 0; round < ROUNDS; round += 1) runs.push(await measure(url, apiKey, probe));
      const of = (what: "ms" | "blocked") => Math.round(middle(runs.map((run) => run[what])));
      rows.push({ probe: probe.name, ms: of("ms"), blocked: of("blocked") });
    }
    console.table(rows);
    const worst = Math.max(...rows.flatMap(({ ms, blocked }) => [ms, blocked]));
    console.log(JSON.stringify({ bench: "graphql-probes", rounds: ROUNDS, goal: GOAL_MS, worst, rows }));
  } finally {
    await server.stop();
  }
}

/** Milliseconds until the answer, and the longest another request had to wait. */
async function measure(url: string, authorization: string, probe: Probe): Promise<{ ms: number; blocked: number }> {
  let over = false;
  let blocked = 0;
  const pings = (async () => {
    while (!over) {
      const begun = performance.now();
      await (await fetch(`${url}/api/health/live`)).text();
      blocked = Math.max(blocked, performance.now() - begun);
    }
  })();
  const begun = performance.now();
  await (await send(url, authorization, probe)).text();
  const ms = performance.now() - begun;
  over = true;
  await pings;
  return { ms, blocked };
}
