// @ts-check
import { closeSync, fsyncSync, openSync } from "node:fs";
import { NodeFS } from "@electric-sql/pglite/nodefs";

/**
 * Completes PGlite's file system for a directory. Executes the engine's fsync, because NODEFS ignores fsync and commits
 * would not be durable. Counts new WAL segments, because nothing else shows that a checkpoint is due.
 * @param {string} directory
 * @param {object} memory of the engine. PGlite asks its file system for the options that contain the memory.
 */
export function createDurableFiles(directory, memory) {
  let fsyncs = 0;
  let segments = 0;
  let segment = "";

  /** @param {any} nodefs emscripten's file system, which PGlite's types do not declare */
  const hook = ({ stream_ops, realPath }) => {
    const { write } = stream_ops;
    stream_ops.fsync = (/** @type {any} */ stream) => {
      fsyncs += 1;
      if (stream.nfd === undefined) syncDirectory(realPath(stream.node));
      else fsyncSync(stream.nfd);
      return 0;
    };
    stream_ops.write = (/** @type {any} */ stream, /** @type {any[]} */ ...rest) => {
      if (stream.path !== segment && stream.path.includes("/pg_wal/")) {
        segment = stream.path;
        segments += 1;
      }
      return write(stream, ...rest);
    };
  };

  const system = new NodeFS(directory);
  const init = system.init.bind(system);
  system.init = async (pg, options) => {
    const { emscriptenOpts } = await init(pg, options);
    const preRun = [...(emscriptenOpts.preRun ?? []), (/** @type {any} */ mod) => hook(mod.NODEFS)];
    return { emscriptenOpts: { ...emscriptenOpts, wasmMemory: memory, preRun } };
  };
  return {
    system,
    fsyncs: () => fsyncs,
    /** Returns the number of WAL segments (16 MB each) that were started since the last checkpoint. */
    segments: () => segments,
    checkpointed() {
      segments = 0;
    },
  };
}

/**
 * @param {string} path of a directory, for which the engine has no descriptor. Windows needs no fsync for a directory.
 */
function syncDirectory(path) {
  if (process.platform === "win32") return;
  const directory = openSync(path, "r");
  fsyncSync(directory);
  closeSync(directory);
}
