import { totalmem } from "node:os";
import { ownCluster, runSql } from "../../test/support/db/postgres.ts";
import { measureAll, type Row } from "./measure.ts";
import { fillPostgres } from "./postgres.ts";
import { startMeasured } from "./server.ts";
import { measureWrites } from "./writes.ts";

/** The numbers of issues in the large organization, one size after the other. */
const SIZES = process.env["BENCH_ROWS"] ? [Number(process.env["BENCH_ROWS"])] : [10_000, 100_000, 1_000_000];
/** Events of a session: five make a million beside a million issues. */
const EVENTS = Number(process.env["BENCH_EVENTS"] ?? 5);
/** Sessions, and people of whom they are, where they are not to follow from the issues. */
const [SESSIONS, USERS] = [process.env["BENCH_SESSIONS"], process.env["BENCH_USERS"]];
const RECORDED = { ...(SESSIONS && { sessions: Number(SESSIONS) }), ...(USERS && { users: Number(USERS) }) };

/** A quarter of memory for pages, as PostgreSQL's manual advises: what is measured is warm. */
const SHARED_BUFFERS = `${Math.round(totalmem() / 4 / 2 ** 20)}MB`;
const SETTINGS = [`shared_buffers = '${SHARED_BUFFERS}'`, "random_page_cost = 1.1", "max_wal_size = '4GB'"];
/** The plan of what takes longer than 20 ms goes to the log. */
const EXPLAINS = ["session_preload_libraries = 'auto_explain'", "auto_explain.log_min_duration = 20"];

/** The figures of one size. */
interface Measured {
  issues: number;
  rows: Row[];
  writes: Awaited<ReturnType<typeof measureWrites>>;
}

/**
 * Measures what users do on an organization of each size, through HTTP on a PostgreSQL cluster of its own. Prints a table
 * in ms, the plans of what is slow at the largest size, what writes cost, and one line of JSON; `growth` is p50 at the
 * largest size over p50 at the smallest.
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
  const cluster = await ownCluster();
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
