import type { Duplex } from "node:stream";
import pg, { type ClientBase } from "pg";
import { type ConnectionRequest, HEALTH_TENANT, type PoolLoad, type Statement } from "../database.ts";
import type { NodeWatch } from "../distribution/nodes.ts";
import { toUnavailableError } from "../errors/sqlstate.ts";
import { UnavailableError } from "../errors/unavailable.ts";
import { setUpConnection } from "../postgres/session-settings.ts";
import { recordServer, type ServerTraits } from "../statements/begin.ts";
import { type CancelStatement, discardConnection, isDiscarded } from "../statements/statement.ts";
import { createIdleConnections } from "./at-hand.ts";
import { assertNoConnectionHeld, getConnectionRequest } from "./context.ts";
import { type ConnectionPermit, createConnectionQueue } from "./queue.ts";
import { valueParsers } from "./types.ts";

/** The driver's pool with a queue in front of it. Rejects callers that already hold a connection. */
export interface Pool {
  acquire(turn?: ConnectionRequest): Promise<pg.PoolClient>;
  /** Returns an error if a node is away and the statement needs every node; otherwise undefined. */
  refusalOf(statement: Statement): UnavailableError | undefined;
  /** Registers a function that is called when the connection must be released early because other callers wait. */
  stopBy(client: pg.PoolClient, stop: (reason: Error) => void): void;
  /** Releases a connection. Closes a connection that was discarded, is broken, or is still in a transaction. */
  release(client: pg.PoolClient): void;
  cancel: CancelStatement;
  load(): PoolLoad;
  /** Returns the time at which a healthy connection was last released, in ms of `performance.now()`. */
  lastReturn(): number;
  end(): Promise<void>;
}

const ignore = () => {};

/** Properties of the engine behind a pool. */
interface PoolOptions {
  size: number;
  cancel: CancelStatement;
  /** Version of PostgreSQL, and whether Citus distributes the tables; undefined for the embedded engine. */
  server?: ServerTraits;
  /** Watches which nodes respond. Set only for a database on several nodes. */
  watch?: NodeWatch | undefined;
}

/**
 * Creates a pool with its own queue. The queue admits only as many callers as the driver's pool has connections. A
 * caller that the queue admits waits at most until a new connection is open.
 */
export function createPool(connection: pg.ClientConfig, options: PoolOptions): Pool {
  const atHand = createIdleConnections();
  const pool = openDriverPool(connection, options, (client) => {
    discardConnection(client);
    atHand.drop(client as pg.PoolClient);
  });
  const queue = createConnectionQueue(options.size);
  const permits = new WeakMap<ClientBase, ConnectionPermit>();
  const { watch } = options;
  const work = new Map<pg.PoolClient, Work>();
  watch?.onAway(() => {
    for (const [client, each] of work) if (isStuck(watch, each)) cut(client, options.cancel);
  });
  let lastReturn = Number.NEGATIVE_INFINITY;

  const acquire = async (as = getConnectionRequest()) => {
    assertNoConnectionHeld();
    const node = watch && nodeOf(watch, as);
    if (watch?.isAway(node)) throw new UnavailableError(AWAY, AWAY_SECONDS);
    const permit = await queue.enter(as, node);
    try {
      if (watch?.isAway(node)) throw new UnavailableError(AWAY, AWAY_SECONDS);
      const client = atHand.take() ?? (await pool.connect());
      permits.set(client, permit);
      if (watch) work.set(client, { node, turn: as, since: performance.now() });
      return client;
    } catch (error) {
      permit.leave();
      throw toUnavailableError(error);
    }
  };
  const release = (client: pg.PoolClient) => {
    work.delete(client);
    const broken = isDiscarded(client) || client.getTransactionStatus() !== "I";
    if (broken) client.release(true);
    else {
      lastReturn = performance.now();
      atHand.put(client);
    }
    permits.get(client)?.leave();
  };
  return {
    acquire,
    release,
    refusalOf: (statement) => (watch?.needsAway(statement) ? new UnavailableError(NEEDS_ALL, AWAY_SECONDS) : undefined),
    stopBy: (client, stop) => permits.get(client)?.stopBy(stop),
    cancel: options.cancel,
    load() {
      const free = pool.idleCount + atHand.count();
      return { used: pool.totalCount - free, free, waiting: queue.waiting() };
    },
    lastReturn: () => lastReturn,
    end() {
      atHand.close();
      return pool.end();
    },
  };
}

const AWAY = "The part of the database that the organization lies on does not answer; try again";
const NEEDS_ALL = "A part of the database does not answer, and this needs it; try again";
const AWAY_SECONDS = 5;

/** Work that uses a connection. */
interface Work {
  node: number | undefined;
  turn: ConnectionRequest;
  since: number;
}

/** Milliseconds after which work counts as stuck if a node is away and the node of the work is unknown. */
const PATIENCE_MS = { short: 1_000, read: 1_000, upkeep: 3_000 };

/**
 * Returns true if work probably waits for a node that is away. Health checks never wait for a node that is away,
 * because health checks use only the coordinator.
 */
function isStuck(watch: NodeWatch, { node, turn, since }: Work): boolean {
  if (node !== undefined) return watch.isAway(node);
  return turn.tenant !== HEALTH_TENANT && performance.now() - since >= PATIENCE_MS[turn.queueClass];
}

const nodeOf = (watch: NodeWatch, { beside, tenant }: ConnectionRequest): number | undefined =>
  watch.nodeOf(beside ?? tenant ?? "");

/** Destroys a connection and cancels its statement, so that callers who wait for a result fail at once. */
function cut(client: pg.PoolClient, cancel: CancelStatement): void {
  discardConnection(client);
  cancel(client);
  (client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy(
    new UnavailableError(NEEDS_ALL, AWAY_SECONDS),
  );
}

/**
 * Opens the driver's pool and adds error listeners. Without a listener, a connection that breaks would end the process.
 * The listeners need not report the error, because the statements on the connection fail anyway.
 */
function openDriverPool(
  connection: pg.ClientConfig,
  { size, server }: PoolOptions,
  onBroken: (client: ClientBase) => void,
): pg.Pool {
  const onConnect = server === undefined ? ignore : setUpConnection;
  const pool = new pg.Pool({ ...connection, types: valueParsers, max: size, idleTimeoutMillis: 30_000, onConnect });
  return pool.on("error", ignore).on("connect", (client) => {
    client.on("error", () => onBroken(client)).on("end", () => onBroken(client));
    if (server !== undefined) recordServer(client, server);
  });
}
