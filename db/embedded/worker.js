// @ts-check
// Plain JavaScript, because tsx in a worker thread costs 220 ms at the start and 60 MB of memory (docs/database.md).
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { btree_gin } from "@electric-sql/pglite/contrib/btree_gin";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { createDurableFiles } from "./files.js";
import { shareRunningBatch } from "./running.js";
import { createSharedMemory } from "./shared-memory.js";

/**
 * The engine's thread. Opens PGlite for a directory, then processes one batch of wire messages after the other.
 * Receives `{ id, bytes }` or `{ close }`. Sends `{ shared }` once, then `{ id, bytes, done }` in the order of the
 * batches. Every error ends the thread, and the supervisor opens the directory again.
 */
const SETTINGS = {
  fsync: "on",
  wal_sync_method: "fsync", // the default, fdatasync, does nothing in this engine
  shared_buffers: "16MB",
  maintenance_work_mem: "16MB",
  max_wal_size: "64MB",
  min_wal_size: "32MB",
  default_statistics_target: "25", // ANALYZE reads 300 times as many pages, and all requests wait for ANALYZE
  timezone: "UTC",
};
const SEGMENTS_BETWEEN_CHECKPOINTS = 3;
const POST_BYTES = 256 * 1024;
const READY_FOR_QUERY = 0x5a;
const READY_BYTES = 6;
const IDLE = 0x49; // I: no transaction is open

const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);
const memory = createSharedMemory();
const files = createDurableFiles(workerData.directory, memory);
const pg = await open();
const shared = {
  running: new SharedArrayBuffer(4),
  memory: memory.buffer,
  ...flagsOf(/** @type {any} */ (pg.Module)), // not part of PGlite's types
};
const batch = shareRunningBatch(shared);
port.on("message", (message) => (message.close ? close() : take(message)));
port.postMessage({ shared });

async function open() {
  let complaint = "";
  const startParams = [
    ...PGlite.defaultStartParams.filter((parameter) => parameter !== "-F"),
    ...Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
  try {
    const onStderr = (/** @type {string} */ text) => {
      if (/(FATAL|PANIC): /.test(text)) complaint = text;
      return false;
    };
    const opened = await PGlite.create({ fs: files.system, startParams, onStderr, extensions: { btree_gin, pg_trgm } });
    const before = files.fsyncs();
    await opened.exec("select pg_logical_emit_message(true, 'trackway', 'does a commit reach the disk?')");
    if (files.fsyncs() === before) throw new Error("a commit makes no fsync");
    return opened;
  } catch (error) {
    throw complaint ? new Error(complaint.replace(/^.*(FATAL|PANIC): +/, ""), { cause: error }) : error;
  }
}

/**
 * Returns the addresses of the flags that cancel a statement in PostgreSQL.
 * @param {{ _InterruptPending?: number, _QueryCancelPending?: number }} module
 */
function flagsOf({ _InterruptPending: interrupt, _QueryCancelPending: cancel }) {
  if (!interrupt || !cancel) throw new Error("the engine does not say where it looks for cancels");
  return { interrupt, cancel };
}

/** @param {{ id: number, bytes: Uint8Array }} batch */
async function take({ id, bytes }) {
  if (answer(id, bytes) === IDLE && files.segments() >= SEGMENTS_BETWEEN_CHECKPOINTS) {
    files.checkpointed();
    await pg.exec("checkpoint");
  }
}

/**
 * Runs a batch and posts the engine's response in pieces of limited size.
 * @returns the status of the transaction
 * @throws Error if the engine has ended, because it then sends no response
 * @param {number} id
 * @param {Uint8Array} bytes
 */
function answer(id, bytes) {
  /** @type {Uint8Array[]} */
  let chunks = [];
  let size = 0;
  let end = [0];
  /** @param {boolean} done */
  const post = (done) => {
    const joined = new Uint8Array(size);
    let at = 0;
    for (const chunk of chunks) {
      joined.set(chunk, at);
      at += chunk.length;
    }
    port.postMessage({ id, bytes: joined, done }, [joined.buffer]);
    chunks = [];
    size = 0;
  };
  batch.begin(id);
  void pg.execProtocolRawStream(bytes, {
    syncToFs: false,
    onRawData(chunk) {
      if (size > POST_BYTES) post(false);
      chunks.push(chunk.slice());
      size += chunk.length;
      end = [...end, ...chunk.subarray(-READY_BYTES)].slice(-READY_BYTES);
    },
  });
  batch.end(id);
  if (end[0] !== READY_FOR_QUERY) throw new Error("the engine ended in the middle of a statement");
  post(true);
  return end.at(-1);
}

async function close() {
  await pg.close();
  process.exit(0);
}
