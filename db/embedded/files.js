// @ts-check
import { closeSync, fsyncSync, openSync } from "node:fs";
import { NodeFS } from "@electric-sql/pglite/nodefs";

/**
 * PGlite's file system over a directory, with what it leaves out: the engine's fsync is carried out (NODEFS has
 * none, so commits would wait for nothing), and the WAL segments it begins are counted (nothing else says when a
 * checkpoint is due).
 * @param {string} directory
 * @param {object} memory the engine's, which PGlite would make itself but asks its file system about
 */
export function durableFiles(directory, memory) {
  let fsyncs = 0;
  let segments = 0;
  let segment = "";

  /** @param {any} nodefs emscripten's file system, not part of PGlite's types */
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
    /** WAL segments of 16 MB begun since the last checkpoint. */
    segments: () => segments,
    checkpointed() {
      segments = 0;
    },
  };
}

/** @param {string} path a directory: the engine has no descriptor for it. Windows needs none. */
function syncDirectory(path) {
  if (process.platform === "win32") return;
  const directory = openSync(path, "r");
  fsyncSync(directory);
  closeSync(directory);
}
