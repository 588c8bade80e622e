import { type HostileProbe, PROBES, sendProbe } from "../../test/support/hostile/probes.ts";
import { LISTENING_LINE, spawnServer } from "../../test/support/run/process.ts";
import { createOrganization } from "../../test/support/server.ts";
import { computeMedian } from "../support/figures.ts";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
/** Maximum time in ms of a hostile request, and maximum wait of other requests. */
const GOAL_MS = 100;

/**
 * Measures how long the server takes to refuse each hostile request, and how long other requests wait meanwhile.
 * Prints a table and one line of JSON.
 */
export async function benchProbes(): Promise<void> {
  const server = spawnServer({ TRACKWAY_BOOTSTRAP: "off", GRAPHQL_REQUESTS_PER_HOUR: "off" });
  try {
    const url = (await server.printed(LISTENING_LINE))[1] ?? "";
    const { apiKey } = await createOrganization({ url });
    await measure(url, apiKey, PROBES[0] as HostileProbe);
    const rows = [];
    for (const probe of PROBES) {
      const runs: { ms: number; blocked: number }[] = [];
      for (let round = 0; round < ROUNDS; round += 1) runs.push(await measure(url, apiKey, probe));
      const of = (what: "ms" | "blocked") => Math.round(computeMedian(runs.map((run) => run[what])));
      rows.push({ probe: probe.name, ms: of("ms"), blocked: of("blocked") });
    }
    console.table(rows);
    const worst = Math.max(...rows.flatMap(({ ms, blocked }) => [ms, blocked]));
    console.log(JSON.stringify({ bench: "graphql-probes", rounds: ROUNDS, goal: GOAL_MS, worst, rows }));
  } finally {
    await server.stop();
  }
}

/** Measures the milliseconds until the response, and the longest wait of another request. */
async function measure(
  url: string,
  authorization: string,
  probe: HostileProbe,
): Promise<{ ms: number; blocked: number }> {
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
  await (await sendProbe(url, authorization, probe)).text();
  const ms = performance.now() - begun;
  over = true;
  await pings;
  return { ms, blocked };
}
