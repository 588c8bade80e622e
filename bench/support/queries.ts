import { startOwnCluster } from "../../test/support/db/postgres.ts";
import { startServer, type Tenant } from "../../test/support/server.ts";
import { SECRET } from "./secret.ts";

const RUNS = 200;

/**
 * Runs a part of a bench on both engines, each with its own server. BENCH_ONLY=embedded|postgresql selects an engine.
 */
export async function onEachEngine(
  part: (engine: string, app: Awaited<ReturnType<typeof startServer>>) => Promise<void>,
): Promise<void> {
  const only = process.env["BENCH_ONLY"];
  const run = async (engine: string, env: Record<string, string>) => {
    const app = await startServer(env);
    await part(engine, app).finally(() => app.close());
  };
  if (only !== "postgresql") await run("embedded", {});
  if (only === "embedded") return;
  const cluster = await startOwnCluster();
  await run("postgresql", { DATABASE_URL: cluster.url, DATABASE_POOL: "8", JWT_SECRET: SECRET }).finally(() =>
    cluster.remove(),
  );
}

/** A list, or a row with a list. */
interface Root {
  nodes?: unknown[];
  files?: Root;
}

/** Measures a query over HTTP in ms, and counts the entries of its only root field. */
export async function timeQuery({ graphql }: Tenant, query: string) {
  const took: number[] = [];
  let entries: number | undefined;
  for (let run = 0; run < RUNS + 20; run += 1) {
    const began = performance.now();
    const { data, errors } = await graphql(query);
    if (errors) throw new Error(JSON.stringify(errors));
    if (run >= 20) took.push(performance.now() - began);
    const [root] = Object.values(data as Record<string, Root>);
    entries = (root?.files ?? root)?.nodes?.length;
  }
  took.sort((a, b) => a - b);
  const at = (share: number) => Number(took[Math.floor(RUNS * share)]?.toFixed(1));
  return { entries, p50: at(0.5), p95: at(0.95), max: at(0.999) };
}
