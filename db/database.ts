import type { PoolClient } from "pg";
import type { NodeStatus } from "./distribution/nodes.ts";
import type { WakeNotifier } from "./wake/wake.ts";

/**
 * Queue in which work waits when all connections are in use: `short` first, then `read`, then `upkeep` (maintenance).
 */
export type QueueClass = "short" | "read" | "upkeep";

/** Tenant name for the connections of the server's own health checks. */
export const HEALTH_TENANT = "health";

/**
 * Purpose of a connection: the queue class, and the organization that uses the connection. The server's own work has no
 * organization.
 */
export interface ConnectionRequest {
  queueClass: QueueClass;
  tenant?: string | undefined;
  /**
   * Organization on whose node the work runs, if `tenant` does not name this organization. The work does not count
   * toward the organization's share of the connections.
   */
  beside?: string | undefined;
  /** Milliseconds that a statement may take. Defaults to the limit of the queue class. */
  limit?: number | undefined;
}

/** Tables that a statement reads and changes. A missing list counts as all tables. */
export interface TableEffect {
  reads?: readonly string[];
  /** Empty for a statement that only reads. */
  writes?: readonly string[];
}

/**
 * One statement with parameters in the driver's form ($1, $2, …). A `name` makes the statement a prepared statement.
 */
export interface Statement extends TableEffect {
  text: string;
  values?: readonly unknown[];
  name?: string;
}

const among = (tables: readonly string[] | undefined, some: readonly string[]): boolean =>
  tables === undefined || some.some((table) => tables.includes(table));

/** Returns true if a statement may read one of the tables. */
export const readsAny = ({ reads }: TableEffect, tables: readonly string[]): boolean => among(reads, tables);

/** Returns true if a statement may change one of the tables. */
export const writesAny = ({ writes }: TableEffect, tables: readonly string[]): boolean => among(writes, tables);

/**
 * Access to the data, with the same behavior for the embedded engine and PostgreSQL. Every method fails at once when it
 * is called within an open transaction, because work there must use the transaction object. Every method throws
 * `UnavailableError` when a retry makes sense: the database is down, the queue is full, or a lock timed out.
 */
export interface Database {
  readonly engine: "embedded" | "postgresql";
  /**
   * Runs `work`. The queries of `work` wait in the given queue class and count as usage of the organization `tenant`.
   * The default outside `as` is the class "short".
   */
  as<T>(queueClass: QueueClass, work: () => Promise<T>, tenant?: string): Promise<T>;
  /**
   * Runs `work`. The queries of `work` run on the node that contains the organization's rows. While the node does not
   * respond, the queries fail at once.
   */
  beside<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
  /**
   * Runs one READ COMMITTED transaction with a lock timeout of 2 s. Commits if `work` resolves, otherwise rolls back. The
   * statements form a pipeline: BEGIN is sent with the first statement, and a statement that `work` does not await is sent
   * without waiting for earlier statements. The first failure rolls back the transaction, and the transaction rejects with
   * this failure. `work` runs again after a deadlock or serialization failure, so `work` must change nothing outside the
   * transaction.
   */
  transaction<T>(work: (trx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs one statement in autocommit and returns its rows. After 15 s (`upkeep`: 60 s) the statement fails as
   * `UnavailableError`. When `deadline` aborts, the call rejects at once with the signal's reason, and the server asks
   * PostgreSQL to cancel the statement. `turn` contains the queue class and the organization; the default is the values
   * that `as` set for the running code. An explicit `turn` is cheaper than `as`, because no async context is needed. If
   * an organization recently used a large share of the connections and others wait for a connection, the server ends a
   * read of that organization as `UnavailableError`.
   */
  query<Row = Record<string, unknown>>(
    statement: Statement,
    deadline?: AbortSignal,
    turn?: ConnectionRequest,
  ): Promise<Row[]>;
  /** Runs `work` with a connection of the driver, for COPY and pipelines. `turn` has the same meaning as in `query`. */
  connection<T>(work: (client: PoolClient) => Promise<T>, turn?: ConnectionRequest): Promise<T>;
  /**
   * Returns true if the database responds to a read and a write within 1 s. A successful write within the last 2 s also
   * counts. If the embedded engine does not respond in time, a statement that completed within the last 5 s is enough.
   */
  ping(): Promise<boolean>;
  /**
   * Returns the number of nodes, and the nodes that did not respond to the last check; undefined for a database on one
   * node.
   */
  nodes(): NodeStatus | undefined;
  /** Returns the node with an organization's rows; undefined for a database on one node. */
  nodeOf(organizationId: string): number | undefined;
  /** Returns the state of the connection pool, for metrics. */
  load(): PoolLoad;
  readonly wake: WakeNotifier;
  close(): Promise<void>;
}

/** Used and free connections, and the number of callers that wait for a connection. */
export interface PoolLoad {
  used: number;
  free: number;
  waiting: number;
}

export interface Transaction {
  /** Makes the transaction end with a rollback even if `work` resolves. Meant for work that changed nothing. */
  undo(): void;
  /**
   * Runs a statement. Fails as `UnavailableError` if the statement takes longer than `limit` milliseconds. In PostgreSQL,
   * the limit also applies to later statements of the transaction that set no other limit.
   */
  query<Row = Record<string, unknown>>(statement: Statement, limit?: number): Promise<Row[]>;
}

export interface OpenOptions {
  /** PostgreSQL URL. Without a URL, the embedded engine opens `dataDir`. */
  url?: string | undefined;
  /** URL that reaches PostgreSQL without a transaction pooler, for LISTEN and migrations. Defaults to `url`. */
  directUrl?: string | undefined;
  dataDir: string;
  poolSize: number;
  /** Receives a line about each problem that the engine repairs automatically. Defaults to `process.emitWarning`. */
  warn?: (message: string) => void;
}
