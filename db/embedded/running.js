// @ts-check

/** Values of the running word besides a batch's number. */
const [NONE, HELD] = [0, -1];

/**
 * Shares the running batch, and the flags that cancel it, between the engine's thread and its owner.
 * @param {{ running: SharedArrayBuffer, memory: ArrayBufferLike, interrupt: number, cancel: number }} shared
 */
export function runningBatch({ running, memory, interrupt, cancel }) {
  const word = new Int32Array(running);
  const bytes = new Uint8Array(memory);
  return {
    /** @param {number} id */
    begin: (id) => void Atomics.store(word, 0, id),
    /**
     * Called where the engine runs. A cancel that came too late for this batch must not meet the next.
     * @param {number} id
     */
    end(id) {
      while (Atomics.compareExchange(word, 0, id, NONE) === HELD);
      bytes[cancel] = 0;
    },
    /**
     * Called from another thread: what a SIGINT does to PostgreSQL's process, if this batch is the one that runs.
     * @param {number} id
     */
    cancel(id) {
      if (Atomics.compareExchange(word, 0, id, HELD) !== id) return;
      bytes[cancel] = 1;
      bytes[interrupt] = 1;
      Atomics.store(word, 0, id);
    },
  };
}
