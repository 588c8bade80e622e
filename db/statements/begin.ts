import type { ClientBase } from "pg";
import type { Statement } from "../database.ts";
import { createPipeline } from "../pipeline/index.ts";

/** Time limits of a transaction, in milliseconds. */
export interface TransactionLimits {
  /** Wait for a lock. */
  lock?: number;
  /**
   * Maximum time between two statements. If the Trackway server is frozen or disconnected, other transactions wait that
   * long for its locks.
   */
  idle?: number;
  /** Duration of a statement. */
  statement: number;
  /**
   * Duration of the whole transaction; by default twice the limit of a statement. In each of the four limits, 0 means
   * no limit.
   */
  whole?: number;
}

const LOCK_MS = 2_000;
const IDLE_MS = 7_000;
/**
 * Limits for backups. The limits are long, because a backup may wait for a disk, and a backup locks nothing that others
 * write.
 */
export const BACKUP_LIMITS = { lock: 60_000, idle: 60_000, whole: 0 };
/** First major version of PostgreSQL with a limit for whole transactions. */
const BOUNDS_WHOLE = 17;

/** Properties of PostgreSQL on which statements depend. */
export interface ServerTraits {
  major: number;
  /** True if Citus distributes the tables over nodes. */
  distributed: boolean;
}

/**
 * Properties of the PostgreSQL server, by connection. Connections to the embedded engine are missing, because the
 * embedded engine has a single session and no timers.
 */
const servers = new WeakMap<ClientBase, ServerTraits>();

/** Records the server of a connection. */
export const recordServer = (client: ClientBase, server: ServerTraits): void => void servers.set(client, server);

/** Returns true if the server of a connection enforces statement_timeout and similar settings. */
export const hasStatementTimeouts = (client: ClientBase): boolean => servers.has(client);

/** Returns a statement that limits the following statements of a transaction to a number of milliseconds. */
export const buildSetTimeoutStatement = (milliseconds: number): Statement => ({
  name: "bound",
  text: "select set_config('statement_timeout', $1, true)",
  values: [String(milliseconds)],
});

/**
 * Returns the settings for the time limits of a transaction. PostgreSQL enforces these limits even if the Trackway
 * server is frozen. The settings end with the transaction.
 */
function settings(client: ClientBase, bounds: TransactionLimits): [name: string, value: string][] {
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

/** Makes Citus forward each later SET LOCAL to its nodes, because statements wait for locks there. */
const PROPAGATE = "set local citus.propagate_set_commands = 'local'";

/** Returns separate statements, because Citus forwards the text of the whole message that contains a SET LOCAL. */
const propagated = ([begin = "", ...limits]: readonly string[]): Statement[] =>
  [begin, PROPAGATE, ...limits].map((text) => ({ name: text, text }));

/** Additional settings for one kind of transaction, besides the time limits. */
export interface TransactionSettings {
  /** Name of the statement that sets the values. */
  name: string;
  values: Readonly<Record<string, string>>;
}

/** Returns the statements that begin a transaction and set its limits. The statements have no parameters. */
export const buildBegin = (client: ClientBase, bounds: TransactionLimits, more?: TransactionSettings): string[] => [
  "begin",
  ...[...settings(client, bounds), ...Object.entries(more?.values ?? {})].map(
    ([name, value]) => `set local ${name} = ${value}`,
  ),
];

const isDistributed = (client: ClientBase): boolean => servers.get(client)?.distributed === true;

/**
 * Returns the statements that begin a transaction. One prepared statement sets all limits, because separate SET LOCAL
 * statements take a third of the CPU time of a small transaction. The same statement makes PostgreSQL use generic
 * plans. On Citus, neither is possible: only separate SET LOCAL statements reach the nodes, and plans depend on the
 * organization.
 */
export function buildPreparedBegin(
  client: ClientBase,
  bounds: TransactionLimits,
  more?: TransactionSettings,
): Statement[] {
  if (isDistributed(client)) return propagated(buildBegin(client, bounds, more));
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

const settingsOf = ({ name, values }: TransactionSettings): Statement => ({
  name,
  text: `select ${Object.entries(values).map(([setting, value]) => `set_config('${setting}', '${value}', true)`)}`,
});

/**
 * Returns the text that begins a transaction and runs its first statements in one message. On Citus, this function
 * itself begins the transaction before the promise resolves, and the text contains only the first statements.
 */
export async function buildBeginWithStatements(
  client: ClientBase,
  bounds: TransactionLimits,
  statements: readonly string[],
): Promise<string> {
  const begin = buildBegin(client, bounds);
  if (!isDistributed(client)) return [...begin, ...statements].join("; ");
  await Promise.all(propagated(begin).map(createPipeline(client)));
  return statements.join("; ");
}
