import type { Statement } from "../database.ts";
import type { Pool } from "../pool/pool.ts";
import { queryOnce } from "../statements/query.ts";
import { hashUuid } from "./hash.ts";

/** Number of all nodes of a distributed database, and the ids of the unavailable nodes in Citus's list of nodes. */
export interface NodeStatus {
  all: number;
  unavailable: number[];
}

/**
 * Watches the nodes: which node contains an organization's rows, and which nodes are away. A node is away if the node
 * did not respond to the last check.
 */
export interface NodeWatch {
  /** Returns the result of the last check. */
  nodes(): NodeStatus;
  /** Returns the node with an organization's rows; undefined if the node is not known. */
  nodeOf(organizationId: string): number | undefined;
  isAway(node: number | undefined): boolean;
  /**
   * Returns true if a node is away and the statement needs all nodes. A statement that changes or locks a table with
   * copies on every node needs all nodes.
   */
  needsAway(statement: Statement): boolean;
  /** Registers `act`. While a node is away, `act` is called repeatedly. */
  onAway(act: () => void): void;
  close(): Promise<void>;
}

interface Node {
  id: number;
  host: string;
  port: number;
}

/**
 * For each shard of a distributed table, the first hash value and the node. All distributed tables have the same
 * shards.
 */
interface Shards {
  first: number[];
  node: number[];
}

/**
 * Interval of the checks, and time limit of one check, in ms. A node that does not respond is noticed after at most 3
 * s.
 */
const [EVERY_MS, LIMIT_MS] = [1_000, 2_000];
/** Interval in ms at which listeners are called while a node is away. */
const TELL_MS = 250;
/**
 * Number of connections for checks. A node that does not respond occupies a connection until the time limit of the
 * check.
 */
export const NODE_CHECK_CONNECTIONS = 2;

const LIST = `select groupid as id, nodename as host, nodeport as port from pg_dist_node
  where noderole = 'primary' and isactive order by groupid`;
const SHARDS = `select s.shardminvalue::int as first, p.groupid as node
  from pg_dist_shard s join pg_dist_placement p using (shardid)
  where s.logicalrelid = 'sync'::regclass order by 1`;
const WHOLE = `select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
  where p.partmethod = 'n'`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const CHANGED = /\b(?:insert\s+into|update|delete\s+from)\s+(?:only\s+)?"?(\w+)"?/gi;
const READ = /\b(?:from|join)\s+"?(\w+)"?/gi;
const LOCKS = /\bfor\s+(?:no\s+key\s+)?(?:update|share)\b|\bfor\s+key\s+share\b/i;

/**
 * Checks every second, through the coordinator, which nodes respond. Callers get the result of the last check and never
 * wait.
 * @param pool separate connections for these checks, so that checks work while other connections wait for a node that
 * does not respond
 */
export async function watchNodes(pool: Pool, warn: (message: string) => void): Promise<NodeWatch> {
  let nodes: readonly Node[] = [];
  let shards: Shards = { first: [], node: [] };
  let whole: ReadonlySet<string> = new Set();
  let away: ReadonlySet<number> = new Set();
  const listeners: (() => void)[] = [];

  const read = <Row>(text: string) => queryOnce<Row>(pool, { text }, AbortSignal.timeout(LIMIT_MS));
  const look = async () => {
    nodes = await read<Node>(LIST);
    const placed = await read<{ first: number; node: number }>(SHARDS);
    shards = { first: placed.map(({ first }) => first), node: placed.map(({ node }) => node) };
    // Read only once: the tables with copies on every node change only while the servers are stopped.
    if (whole.size === 0) whole = new Set((await read<{ name: string }>(WHOLE)).map(({ name }) => name));
    const answers = await Promise.all(nodes.map((node) => node.id === 0 || isReached(pool, node)));
    const silent = new Set(nodes.filter((_, at) => !answers[at]).map(({ id }) => id));
    tellChanges(away, silent, warn);
    away = silent;
    tell();
  };
  const tell = () => {
    if (away.size > 0) for (const act of listeners) act();
  };
  const telling = setInterval(tell, TELL_MS).unref();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const repeat = async () => {
    // If the coordinator does not respond, every request fails anyway, so the last known state of the nodes stays.
    await look().catch(() => {});
    if (!closed) timer = setTimeout(repeat, EVERY_MS).unref();
  };
  await repeat();
  return {
    nodes: () => ({ all: nodes.length, unavailable: [...away] }),
    nodeOf: (organizationId) =>
      UUID.test(organizationId) ? shards.node[lastUpTo(shards.first, hashUuid(organizationId))] : undefined,
    isAway: (node) => node !== undefined && away.has(node),
    needsAway: ({ text }) => away.size > 0 && touches(text, whole),
    onAway: (act) => void listeners.push(act),
    async close() {
      closed = true;
      clearTimeout(timer);
      clearInterval(telling);
      await pool.end();
    },
  };
}

/** Returns true if a statement changes one of the tables, or locks rows of one of the tables. */
function touches(text: string, tables: ReadonlySet<string>): boolean {
  const names = (of: RegExp) => [...text.matchAll(of)].map(([, name = ""]) => name);
  return (
    names(CHANGED).some((name) => tables.has(name)) ||
    (LOCKS.test(text) && names(READ).some((name) => tables.has(name)))
  );
}

function tellChanges(before: ReadonlySet<number>, now: ReadonlySet<number>, warn: (message: string) => void): void {
  for (const node of now)
    if (!before.has(node)) warn(`Node ${node} of the database does not answer: its organizations are answered 503`);
  for (const node of before) if (!now.has(node)) warn(`Node ${node} of the database answers again`);
}

/**
 * Returns the index of the last number in an ascending list that is not greater than `one`; -1 if every number is
 * greater.
 */
function lastUpTo(numbers: readonly number[], one: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) <= one) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

async function isReached(pool: Pool, { host, port }: Node): Promise<boolean> {
  const statement = { text: "select citus_check_connection_to_node($1, $2) as ok", values: [host, port] };
  const [answer] = await queryOnce<{ ok: boolean }>(pool, statement, AbortSignal.timeout(LIMIT_MS)).catch(() => []);
  return answer?.ok === true;
}
