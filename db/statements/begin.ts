import type { ClientBase } from "pg";
import type { Statement } from "../database.ts";
import { createPipeline } from "../pipeline/index.ts";

/** The bounds of a transaction, in milliseconds. */
export interface Bounds {
  /** Waiting for a lock. */
  lock?: number;
  /** Between two statements: so long others wait for the locks of a server that was frozen or cut off. */
  idle?: number;
  /** A statement. */
  statement: number;
  /** The whole transaction, by default twice a statement. 0 is without end, as for the others. */
  whole?: number;
}

const LOCK_MS = 2_000;
const IDLE_MS = 7_000;
/** For backups: they lock nothing that others write to, and may wait for a disk. */
export const BACKUP_BOUNDS = { lock: 60_000, idle: 60_000, whole: 0 };
/** The first PostgreSQL that bounds a transaction as a whole. */
const BOUNDS_WHOLE = 17;

/** The traits of a PostgreSQL that statements depend on. */
export interface Server {
  /** Its major version. */
  major: number;
  /** True when Citus spreads its tables over nodes. */
  distributed: boolean;
}

/** The server behind each connection to PostgreSQL. The embedded engine has one session and no timers. */
const servers = new WeakMap<ClientBase, Server>();

/** Remembers which PostgreSQL is behind a connection. */
export const noteServer = (client: ClientBase, server: Server): void => void servers.set(client, server);

/** True when statement_timeout and its like have an effect behind a connection. */
export const hasTimers = (client: ClientBase): boolean => servers.has(client);

/** Bounds the statements that follow in a transaction, in milliseconds. */
export const boundStatements = (milliseconds: number): Statement => ({
  name: "bound",
  text: "select set_config('statement_timeout', $1, true)",
  values: [String(milliseconds)],
});

/** Limits that PostgreSQL itself enforces, also when this server is frozen. They end with the transaction. */
function settings(client: ClientBase, bounds: Bounds): [name: string, value: string][] {
  const { lock = LOCK_MS, idle = IDLE_MS, statement, whole = 2 * statement } = bounds;
  const major = servers.get(client)?.major;
  const all: [name: string, value: number][] = [
    ["lock_timeout", lock],
    ["statement_timeout", statement],
  ];
  if (major !== undefined) all.push(["idle_in_transaction_session_timeout", idle]);
  if (major !== undefined && major >= BOUNDS_WHOLE) all.push(["transaction_timeout", whole]);
  return all.map(([name, value]) => [name, String(value)]);
}

/** Has Citus tell its nodes of each SET LOCAL that follows: it is there that a statement waits for a lock. */
const PROPAGATE = "set local citus.propagate_set_commands = 'local'";

/** Each in a message of its own: Citus tells its nodes the text of the whole message that a SET LOCAL came in. */
const propagated = ([begin = "", ...limits]: readonly string[]): Statement[] =>
  [begin, PROPAGATE, ...limits].map((text) => ({ name: text, text }));

/** Settings that a kind of transaction has beside its bounds. */
export interface Settings {
  /** The name of the statement that sets them. */
  name: string;
  values: Readonly<Record<string, string>>;
}

/** The beginning of a transaction, as statements without parameters. */
export const beginText = (client: ClientBase, bounds: Bounds, more?: Settings): string[] => [
  "begin",
  ...[...settings(client, bounds), ...Object.entries(more?.values ?? {})].map(
    ([name, value]) => `set local ${name} = ${value}`,
  ),
];

const isDistributed = (client: ClientBase): boolean => servers.get(client)?.distributed === true;

/**
 * The beginning of a transaction, as two prepared statements: a SET LOCAL of its own for each bound costs a third of
 * the CPU time of a small transaction. The second also has every statement planned once. Over several nodes neither
 * works: only SET LOCAL reaches the others, if it is a statement of its own, and Citus plans by the organization.
 */
export function beginPrepared(client: ClientBase, bounds: Bounds, more?: Settings): Statement[] {
  if (isDistributed(client)) return propagated(beginText(client, bounds, more));
  const all = settings(client, bounds);
  const calls = all.map(([name], at) => `set_config('${name}', $${at + 1}, true)`);
  return [
    { name: "begin", text: "begin" },
    {
      name: "limits",
      text: `select ${calls.join(", ")}, set_config('plan_cache_mode', 'force_generic_plan', true)`,
      values: all.map(([, value]) => value),
    },
    ...(more ? [settingsOf(more)] : []),
  ];
}

const settingsOf = ({ name, values }: Settings): Statement => ({
  name,
  text: `select ${Object.entries(values).map(([setting, value]) => `set_config('${setting}', '${value}', true)`)}`,
});

/**
 * The text that begins a transaction and does its first statements, in one message. Over several nodes the transaction has
 * begun when this resolves, and the text is the first statements alone.
 */
export async function begunWith(client: ClientBase, bounds: Bounds, statements: readonly string[]): Promise<string> {
  const begin = beginText(client, bounds);
  if (!isDistributed(client)) return [...begin, ...statements].join("; ");
  await Promise.all(propagated(begin).map(createPipeline(client)));
  return statements.join("; ");
}
