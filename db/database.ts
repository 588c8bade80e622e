import type { PoolClient } from "pg";
import type { Nodes } from "./distribution/nodes.ts";
import type { Wake } from "./wake/wake.ts";

/** The queue that a unit of work waits in when all connections are taken: short before read before upkeep. */
export type QueueClass = "short" | "read" | "upkeep";

/** The name under which the server asks for its own health. */
export const HEALTH = "health";

/** As whom a connection is taken: in which class, and for which organization; none for what the server does by itself. */
export interface Turn {
  queueClass: QueueClass;
  tenant?: string | undefined;
  /** Milliseconds that a statement may take; those of its class unless given. */
  limit?: number | undefined;
}

/** Tables that a statement reads and changes. One that does not say is taken to read, or to change, any. */
export interface Effect {
  reads?: readonly string[];
  /** None where it only reads. */
  writes?: readonly string[];
}

/** One parameterised statement in the driver's own form ($1, $2, …). A `name` makes it a prepared statement. */
export interface Statement extends Effect {
  text: string;
  values?: readonly unknown[];
  name?: string;
}

const among = (tables: readonly string[] | undefined, some: readonly string[]): boolean =>
  tables === undefined || some.some((table) => tables.includes(table));

/** Tells whether a statement may read one of some tables. */
export const readsAny = ({ reads }: Effect, tables: readonly string[]): boolean => among(reads, tables);

/** Tells whether a statement may change one of some tables. */
export const writesAny = ({ writes }: Effect, tables: readonly string[]): boolean => among(writes, tables);

/**
 * The one way to reach the data, the same over the embedded engine and PostgreSQL.
 * Every method fails at once when it is called inside an open transaction (work there goes through the
 * transaction it was handed), and throws `Unavailable` where another try makes sense (down, full queue, lock time-out).
 */
export interface Database {
  readonly engine: "embedded" | "postgresql";
  /** Runs `work` with its queries in another queue class, "short" by default, and as those of an organization. */
  as<T>(queueClass: QueueClass, work: () => Promise<T>, tenant?: string): Promise<T>;
  /**
   * One READ COMMITTED transaction with a lock time-out of 2 s. Commits when `work` resolves, else rolls back.
   * Its statements are a pipeline: BEGIN travels with the first, and what `work` sends without awaiting does not
   * wait for what is before it; the first failure undoes everything and is what the transaction rejects with.
   * `work` runs again after a deadlock or serialization failure, so it must change nothing outside the transaction.
   */
  transaction<T>(work: (trx: Transaction) => Promise<T>): Promise<T>;
  /**
   * One statement in autocommit; resolves to its rows. Ends after 15 s (upkeep 60 s) as `Unavailable`.
   * When `deadline` aborts it rejects at once with the signal's reason, and PostgreSQL is asked to cancel. `turn` is
   * that of the code that runs unless it is given, which is cheaper than `as`: nothing has to follow promises. A read of an
   * organization that had much of the connections lately is ended as `Unavailable` when others wait for one.
   */
  query<Row = Record<string, unknown>>(statement: Statement, deadline?: AbortSignal, turn?: Turn): Promise<Row[]>;
  /** The driver's own connection, checked out for the length of `work`: for COPY and pipelines. `turn` as of a query. */
  connection<T>(work: (client: PoolClient) => Promise<T>, turn?: Turn): Promise<T>;
  /**
   * Resolves true when the database answers within 1 s (embedded: or has completed any statement within 5 s), and took
   * a write within the last 2 s or takes one now.
   */
  ping(): Promise<boolean>;
  /** The number of nodes of a database on several, and those that do not answer within 1 s. */
  nodes(): Promise<Nodes | undefined>;
  /** The state of the pool, for metrics. */
  load(): Load;
  readonly wake: Wake;
  close(): Promise<void>;
}

/** Connections at work and at rest, and how many callers wait for one. */
export interface Load {
  used: number;
  free: number;
  waiting: number;
}

/** The methods of a transaction, for its work. */
export interface Transaction {
  /** Has the transaction undone at its end although `work` resolves: for work that turned out to change nothing. */
  undo(): void;
  /** Fails as `Unavailable` when the statement takes longer than `limit` milliseconds; none after it gets more. */
  query<Row = Record<string, unknown>>(statement: Statement, limit?: number): Promise<Row[]>;
}

export interface OpenOptions {
  /** A PostgreSQL URL; absent = the embedded engine under `dataDir`. */
  url?: string | undefined;
  /** A URL that reaches PostgreSQL itself (no transaction pooler), for LISTEN and migrations; default `url`. */
  directUrl?: string | undefined;
  dataDir: string;
  poolSize: number;
  /** Receives one line about what the engine repairs by itself; default `process.emitWarning`. */
  warn?: (message: string) => void;
}
