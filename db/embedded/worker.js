// @ts-check
// Plain JavaScript: tsx in a worker costs 220 ms of start and 60 MB of memory (docs/database.md).
import { closeSync, fsyncSync, openSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

/**
 * The engine's thread: opens PGlite over a directory, then answers one batch of wire messages after the other.
 * In: `{ id, bytes }`. Out: `{ ready, version }` once, then `{ id, bytes, done }` in the order of the batches.
 * Whatever goes wrong in here ends the thread; the supervisor opens the directory anew.
 */
const SETTINGS = {
  fsync: "on",
  wal_sync_method: "fsync",
  shared_buffers: "16MB",
  maintenance_work_mem: "16MB",
  max_wal_size: "64MB",
  min_wal_size: "32MB",
  autovacuum: "off",
  timezone: "UTC",
};
const SEGMENTS_BETWEEN_CHECKPOINTS = 3; // of 16 MB
const POST_BYTES = 256 * 1024;

let fsyncs = 0;
let segments = 0;
let segment = "";

/** NODEFS has no fsync at all: the engine's calls would do nothing. Directories have no descriptor of its own. */
function sync(stream, nodefs) {
  fsyncs += 1;
  if (stream.nfd !== undefined) {
    fsyncSync(stream.nfd);
  } else if (process.platform !== "win32") {
    const directory = openSync(nodefs.realPath(stream.node), "r");
    fsyncSync(directory);
    closeSync(directory);
  }
  return 0;
}

/** Counts the WAL segments begun, since nothing else says when a checkpoint is due. */
function countSegment(path) {
  if (path === segment || !path.includes("/pg_wal/")) return;
  segment = path;
  segments += 1;
}

/** PGlite's file system with the engine's fsync carried out and its WAL counted. */
function durable(directory) {
  const files = new NodeFS(directory);
  const init = files.init.bind(files);
  files.init = async (pg, options) => {
    const { emscriptenOpts } = await init(pg, options);
    const hook = ({ NODEFS }) => {
      const { write } = NODEFS.stream_ops;
      NODEFS.stream_ops.fsync = (stream) => sync(stream, NODEFS);
      NODEFS.stream_ops.write = (stream, ...rest) => {
        countSegment(stream.path);
        return write(stream, ...rest);
      };
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...emscriptenOpts.preRun, hook] } };
  };
  return files;
}

const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== "-F"),
  ...Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
];
const pg = await PGlite.create({ fs: durable(workerData.directory), startParams });

const before = fsyncs;
await pg.exec("select pg_logical_emit_message(true, 'trackway', 'does a commit reach the disk?', true)");
if (fsyncs === before) throw new Error("the embedded engine commits without fsync");

/** Every answer ends with ReadyForQuery and the transaction's status; an engine that ended says nothing more. */
function status(bytes) {
  const ready = bytes.length >= 6 && bytes.at(-6) === 0x5a && bytes.at(-2) === 5;
  return ready ? String.fromCharCode(bytes.at(-1)) : undefined;
}

function answer({ id, bytes }) {
  let chunks = [];
  let size = 0;
  const post = (done) => {
    const joined = new Uint8Array(size);
    chunks.reduce((at, chunk) => {
      joined.set(chunk, at);
      return at + chunk.length;
    }, 0);
    const last = status(joined);
    parentPort?.postMessage({ id, bytes: joined, done }, [joined.buffer]);
    chunks = [];
    size = 0;
    return last;
  };
  pg.execProtocolRawStream(bytes, {
    syncToFs: false,
    onRawData(chunk) {
      if (size > POST_BYTES) post(false);
      chunks.push(chunk.slice());
      size += chunk.length;
    },
  });
  return post(true);
}

parentPort?.on("message", async (message) => {
  if (message.close) {
    await pg.close();
    process.exit(0);
  }
  const last = answer(message);
  if (last === undefined) throw new Error("the embedded engine ended");
  if (last === "I" && segments >= SEGMENTS_BETWEEN_CHECKPOINTS) {
    segments = 0;
    await pg.exec("checkpoint");
  }
});
parentPort?.postMessage({ ready: true });
