import type { Pool } from "../pool/pool.ts";
import { queryOnce } from "../statements/query.ts";

/** The nodes of a database that lies on several, and those that do not answer, by their numbers in Citus' own list. */
export interface Nodes {
  all: number;
  unavailable: number[];
}

interface Node {
  id: number;
  host: string;
  port: number;
}

/** A node that takes longer to be reached is away. */
const LIMIT_MS = 1_000;
/** However often someone asks: the nodes are asked no more than once in so long. */
const FRESH_MS = 2_000;

const LIST = `select groupid as id, nodename as host, nodeport as port from pg_dist_node
  where noderole = 'primary' and isactive order by groupid`;

/** Asks the coordinator which nodes it reaches: it answers for itself by answering. */
export function createNodes(pool: Pool): () => Promise<Nodes> {
  let last: Promise<Nodes> | undefined;
  let asked = 0;
  return () => {
    if (last && performance.now() - asked < FRESH_MS) return last;
    asked = performance.now();
    const answer = askAll(pool);
    last = answer;
    answer.catch(() => {
      last = undefined;
    });
    return answer;
  };
}

async function askAll(pool: Pool): Promise<Nodes> {
  const nodes = await queryOnce<Node>(pool, { text: LIST }, AbortSignal.timeout(LIMIT_MS));
  const reached = await Promise.all(nodes.map((node) => node.id === 0 || isReached(pool, node)));
  return { all: nodes.length, unavailable: nodes.filter((_, at) => !reached[at]).map(({ id }) => id) };
}

async function isReached(pool: Pool, { host, port }: Node): Promise<boolean> {
  const statement = { text: "select citus_check_connection_to_node($1, $2) as ok", values: [host, port] };
  const [answer] = await queryOnce<{ ok: boolean }>(pool, statement, AbortSignal.timeout(LIMIT_MS)).catch(() => []);
  return answer?.ok === true;
}
