import { setTimeout as sleep } from "node:timers/promises";
import { runSql } from "../../test/support/db/postgres.ts";
import { pickTeam, uuid } from "./operations.ts";

const WRITERS = 16;
/** Seconds in which creates and the first updates are counted, and seconds for later updates. */
const [SECONDS, LATER_SECONDS] = [5, 30];
const SAMPLES = 5;
/** Indexes for orders of issues and for ready issues. Their size is reported separately. */
const APART = /^issue_(priority|title|state|ready|ready_team)$/;

const CREATE =
  'mutation ($team: String!) { issueCreate(input: { teamId: $team, title: "One more" }) { issue { identifier } } }';
const UPDATE =
  "mutation ($id: String!, $to: IssueUpdateInput!) { issueUpdate(id: $id, input: $to) { issue { priority } } }";

const CHANGES: Record<string, (round: number) => object> = {
  priority: (round) => ({ priority: round % 2 }),
  assignee: (round) => ({ assigneeId: uuid("0b0", (round % 7) + 40) }),
  estimate: (round) => ({ estimate: (round % 3) + 8 }),
  title: (round) => ({ title: `Another title ${round}` }),
};

/** The server, a key, the database, and the number of issues in the large organization. */
export interface Server {
  address: string;
  key: string;
  url: string;
  issues: number;
}

type Send = (query: string, variables: object) => Promise<void>;

/**
 * Measures writes in the large organization on warm data: index bytes per issue, and WAL bytes of an update just
 * after a checkpoint. Counts the creates and updates per second of 16 writers, with the share of updates that touched
 * no index (HOT). `updatesAtFirst` counts updates soon after a checkpoint, when nearly every first write of a page
 * writes the whole page to the WAL.
 */
export async function measureWrites({ address, key, url, issues }: Server) {
  const headers = { "Content-Type": "application/json", Authorization: key };
  const send: Send = async (query, variables) => {
    const body = JSON.stringify({ query, variables });
    const reply = (await (await fetch(`${address}/graphql`, { method: "POST", headers, body })).json()) as {
      errors?: { message: string }[];
    };
    if (reply.errors) throw new Error(reply.errors[0]?.message);
  };
  // Random issues, so that a second run on the same data also changes values.
  const anywhere = () => uuid("0f0", 1 + Math.floor(Math.random() * issues));
  await warm(url);
  const indexes = await indexBytes(url);
  const wal = await walBytes(url, send, anywhere);
  return { ...indexes, wal, ...(await throughput(url, send, anywhere)) };
}

/** Reads all pages into memory, so that no slow disk read is measured. */
async function warm(url: string): Promise<void> {
  await runSql(url, "create extension if not exists pg_prewarm");
  await runSql(
    url,
    "select pg_prewarm(oid) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')",
  );
}

async function indexBytes(url: string) {
  const rows = await runSql(
    url,
    `select c.relname as name, pg_relation_size(c.oid)::float8 / (select count(*) from issue) as bytes
     from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'issue'::regclass`,
  );
  const sum = (apart: boolean) =>
    Math.round(
      rows.filter(({ name }) => APART.test(String(name)) === apart).reduce((all, { bytes }) => all + Number(bytes), 0),
    );
  return { indexBytes: sum(false), indexBytesApart: sum(true) };
}

/** WAL bytes of the update's own transaction. The server's jobs write several times as much at the same time. */
async function walBytes(url: string, send: Send, anywhere: () => string): Promise<Record<string, number>> {
  await runSql(url, "create extension if not exists pg_walinspect");
  const found: Record<string, number> = {};
  for (const [name, change] of Object.entries(CHANGES)) {
    const sizes: number[] = [];
    for (let round = 0; round < SAMPLES; round += 1) {
      await runSql(url, "checkpoint");
      const [before] = await runSql(url, "select pg_current_wal_flush_lsn() as lsn");
      const id = anywhere();
      await send(UPDATE, { id, to: change(round + 1) });
      const [after] = await runSql(
        url,
        `select sum(record_length) as bytes from pg_get_wal_records_info('${before?.["lsn"]}', pg_current_wal_flush_lsn())
         where xid = (select xmin from issue where "organizationId" = '${uuid("0a0", 0)}' and id = '${id}')`,
      );
      sizes.push(Number(after?.["bytes"]));
    }
    found[name] = sizes.sort((a, b) => a - b)[Math.floor(SAMPLES / 2)] ?? 0;
  }
  return found;
}

async function throughput(url: string, send: Send, anywhere: () => string) {
  const counted = `select n_tup_upd::float8 as all, n_tup_hot_upd::float8 as hot from pg_stat_user_tables where relname = 'issue'`;
  const [before] = await runSql(url, counted);
  const creates = await rate(SECONDS, (round) => send(CREATE, { team: pickTeam(round) }));
  const changes = Object.values(CHANGES);
  const update = (round: number) =>
    send(UPDATE, { id: anywhere(), to: changes[round % changes.length]?.(round) ?? {} });
  const updatesAtFirst = await rate(SECONDS, update);
  const updates = await rate(LATER_SECONDS, update);
  await sleep(1_500); // PostgreSQL's statistics are updated a second late.
  const [after] = await runSql(url, counted);
  const grown = (name: "all" | "hot") => Number(after?.[name]) - Number(before?.[name]);
  return { creates, updatesAtFirst, updates, hot: Number((grown("hot") / Math.max(grown("all"), 1)).toFixed(2)) };
}

/** Runs 16 writers. Resolves to the writes per second. */
async function rate(seconds: number, write: (round: number) => Promise<void>): Promise<number> {
  let done = 0;
  let next = 0;
  const until = performance.now() + seconds * 1_000;
  const writer = async () => {
    while (performance.now() < until) {
      next += 1;
      await write(next);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  return Math.round(done / seconds);
}
