import type { Duplex } from "node:stream";
import pg, { type ClientBase } from "pg";
import { type ConnectionRequest, HEALTH_TENANT, type PoolLoad, type Statement } from "../database.ts";
import type { NodeWatch } from "../distribution/nodes.ts";
import { toUnavailable } from "../errors/sqlstate.ts";
import { Unavailable } from "../errors/unavailable.ts";
import { setUpSession } from "../postgres/session-settings.ts";
import { recordServer, type ServerTraits } from "../statements/begin.ts";
import { type CancelStatement, discardConnection, isDiscarded } from "../statements/statement.ts";
import { createIdleConnections } from "./at-hand.ts";
import { getConnectionRequest, rejectHolder } from "./context.ts";
import { createQueue, type Permit } from "./queue.ts";
import { valueParsers } from "./types.ts";

/** The driver's pool with a queue in front of it. Rejects callers that already hold a connection. */
export interface Pool {
  acquire(turn?: ConnectionRequest): Promise<pg.PoolClient>;
  /** Returns the error for a statement that needs every node while a node is away; undefined for other statements. */
  refusalOf(statement: Statement): Unavailable | undefined;
  /** Registers a function that is called when the connection must be released early because others wait. */
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
  /** Version and kind of PostgreSQL; undefined for the embedded engine. */
  server?: ServerTraits;
  /** Watch of the nodes, for a database on several nodes. */
  watch?: NodeWatch | undefined;
}

/**
 * Creates a pool. The queue admits as many callers as the pool has connections, so the pool itself only waits for new
 * connections.
 */
export function createPool(connection: pg.ClientConfig, options: PoolOptions): Pool {
  const atHand = createIdleConnections();
  const pool = openDriverPool(connection, options, (client) => {
    discardConnection(client);
    atHand.drop(client as pg.PoolClient);
  });
  const queue = createQueue(options.size);
  const permits = new WeakMap<ClientBase, Permit>();
  const { watch } = options;
  const work = new Map<pg.PoolClient, Work>();
  watch?.onAway(() => {
    for (const [client, each] of work) if (isStuck(watch, each)) cut(client, options.cancel);
  });
  let lastReturn = Number.NEGATIVE_INFINITY;

  const acquire = async (as = getConnectionRequest()) => {
    rejectHolder();
    const node = watch && nodeOf(watch, as);
    if (watch?.isAway(node)) throw new Unavailable(AWAY, AWAY_SECONDS);
    const permit = await queue.enter(as, node);
    try {
      if (watch?.isAway(node)) throw new Unavailable(AWAY, AWAY_SECONDS);
      const client = atHand.take() ?? (await pool.connect());
      permits.set(client, permit);
      if (watch) work.set(client, { node, turn: as, since: performance.now() });
      return client;
    } catch (error) {
      permit.leave();
      throw toUnavailable(error);
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
    refusalOf: (statement) => (watch?.needsAway(statement) ? new Unavailable(NEEDS_ALL, AWAY_SECONDS) : undefined),
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

/** Time in ms after which work on an unknown node counts as waiting for a node that is away. */
const PATIENCE_MS = { short: 1_000, read: 1_000, upkeep: 3_000 };

/** Returns true if work probably waits for a node that is away. Health checks use only the coordinator. */
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
    new Unavailable(NEEDS_ALL, AWAY_SECONDS),
  );
}

/**
 * Opens the driver's pool. The listeners are needed, because a connection that breaks without listeners ends the
 * process. The statements on the connection fail anyway.
 */
function openDriverPool(
  connection: pg.ClientConfig,
  { size, server }: PoolOptions,
  onBroken: (client: ClientBase) => void,
): pg.Pool {
  const onConnect = server === undefined ? ignore : setUpSession;
  const pool = new pg.Pool({ ...connection, types: valueParsers, max: size, idleTimeoutMillis: 30_000, onConnect });
  return pool.on("error", ignore).on("connect", (client) => {
    client.on("error", () => onBroken(client)).on("end", () => onBroken(client));
    if (server !== undefined) recordServer(client, server);
  });
}
