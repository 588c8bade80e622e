import { createBufferWriter, type Writer } from "./writer.ts";

/** Pool of reusable buffers. Reuse saves time, because allocating memory costs more than writing to memory. */
export interface BufferPool {
  /** Returns an empty writer with space for the given bytes. */
  take(bytes: number): Writer;
  /** Takes back a writer. After the call, nobody may read the writer's bytes. */
  give(used: Writer): void;
}

/**
 * Keeps buffers of at least `least` bytes, up to `most` bytes in total. The oldest buffer is dropped first. Without a
 * pool, V8 frees a buffer late if the buffer lived as long as a request waits: up to 64 MB of unused buffers
 * accumulate.
 */
export function createBufferPool({ least, most }: { least: number; most: number }): BufferPool {
  const free: Buffer[] = [];
  let bytes = 0;
  return {
    take(wanted) {
      const at = wanted < least ? -1 : free.findLastIndex(({ length }) => length >= wanted);
      const [buffer] = at < 0 ? [] : free.splice(at, 1);
      if (!buffer) return createBufferWriter(wanted);
      bytes -= buffer.length;
      return { buffer, at: 0 };
    },
    give({ buffer }) {
      if (buffer.length < least || buffer.length > most / 2) return;
      free.push(buffer);
      bytes += buffer.length;
      while (bytes > most) bytes -= free.shift()?.length ?? 0;
    },
  };
}
