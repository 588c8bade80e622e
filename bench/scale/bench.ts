import { totalmem } from "node:os";
import { runSql, startOwnCluster } from "../../test/support/db/postgres.ts";
import { measureAll, type Row } from "./measure.ts";
import { fillPostgres } from "./postgres.ts";
import { startMeasured } from "./server.ts";
import { measureWrites } from "./writes.ts";

/** Numbers of issues in the large organization, one size after the other. */
const SIZES = process.env["BENCH_ROWS"] ? [Number(process.env["BENCH_ROWS"])] : [10_000, 100_000, 1_000_000];
/** Events per session. Five make a million events beside a million issues. */
const EVENTS = Number(process.env["BENCH_EVENTS"] ?? 5);
/** Numbers of sessions and recorded users. Without these variables the numbers follow from the issues. */
const [SESSIONS, USERS] = [process.env["BENCH_SESSIONS"], process.env["BENCH_USERS"]];
const RECORDED = { ...(SESSIONS && { sessions: Number(SESSIONS) }), ...(USERS && { users: Number(USERS) }) };

/** A quarter of memory for shared buffers, as PostgreSQL's manual advises. The bench measures warm data. */
const SHARED_BUFFERS = `${Math.round(totalmem() / 4 / 2 ** 20)}MB`;
const SETTINGS = [`shared_buffers = '${SHARED_BUFFERS}'`, "random_page_cost = 1.1", "max_wal_size = '4GB'"];
/** PostgreSQL logs the plan of a statement that takes longer than 20 ms. */
const EXPLAINS = ["session_preload_libraries = 'auto_explain'", "auto_explain.log_min_duration = 20"];

interface Measured {
  issues: number;
  rows: Row[];
  writes: Awaited<ReturnType<typeof measureWrites>>;
}

/**
 * Measures users' operations over HTTP on an organization of each size, on a separate PostgreSQL cluster. Prints a
 * table in ms, the plans of slow operations at the largest size, the cost of writes, and one line of JSON. `growth`
 * is the p50 at the largest size divided by the p50 at the smallest size.
 */
export async function benchScale(): Promise<void> {
  const measured: Measured[] = [];
  for (const issues of SIZES) measured.push(await atSize(issues, issues === SIZES.at(-1)));
  const [first, last] = [measured[0]?.rows ?? [], measured.at(-1)?.rows ?? []];
  const growth = (row: Row, at: number) => Number((row.p50 / (first[at]?.p50 ?? row.p50)).toFixed(2));
  const rows = last.map((row, at) => ({ ...row, growth: growth(row, at) }));
  console.table(rows);
  const writes = measured.map(({ issues, writes: each }) => ({ issues, ...each }));
  console.log(writes);
  console.log(JSON.stringify({ bench: "scale", issues: SIZES, events: EVENTS, rows, writes }));
}

async function atSize(issues: number, last: boolean): Promise<Measured> {
  const cluster = await startOwnCluster();
  try {
    for (const setting of SETTINGS) await runSql(cluster.url, `alter system set ${setting}`);
    cluster.crash();
    cluster.start();
    const key = await fillPostgres(cluster.url, { issues, events: EVENTS, ...RECORDED });
    for (const setting of EXPLAINS) await runSql(cluster.url, `alter database postgres set ${setting}`);
    const server = await startMeasured({ DATABASE_URL: cluster.url });
    try {
      const { address } = server;
      const rows = await measureAll({ address, key, log: last ? cluster.log : undefined });
      return { issues, rows, writes: await measureWrites({ address, key, url: cluster.url, issues }) };
    } finally {
      await server.stop();
    }
  } finally {
    cluster.remove();
  }
}
