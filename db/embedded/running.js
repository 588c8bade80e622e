// @ts-check

/** Values of the shared word when no batch is running, and while a cancel holds the batch. */
const [NONE, HELD] = [0, -1];

/**
 * Shares the running batch, and the flags that cancel it, between the engine's thread and its owner.
 * @param {{ running: SharedArrayBuffer, memory: ArrayBufferLike, interrupt: number, cancel: number }} shared
 */
export function shareRunningBatch({ running, memory, interrupt, cancel }) {
  const word = new Int32Array(running);
  const bytes = new Uint8Array(memory);
  return {
    /** @param {number} id */
    begin: (id) => void Atomics.store(word, 0, id),
    /**
     * Called in the engine's thread. Waits for a running cancel and clears the flag, so that a late cancel does not
     * affect the next batch.
     * @param {number} id
     */
    end(id) {
      while (Atomics.compareExchange(word, 0, id, NONE) === HELD);
      bytes[cancel] = 0;
    },
    /**
     * Called from another thread. Does what SIGINT does in PostgreSQL's process, if this batch is running.
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
