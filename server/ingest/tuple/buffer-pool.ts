import { createWriter, type Writer } from "./writer.ts";

/** Pool of buffers for reuse: allocating memory costs more than writing to it. */
export interface BufferPool {
  /** Returns an empty writer with space for the given bytes. */
  take(bytes: number): Writer;
  /** Takes back a writer. Nobody may read its bytes afterwards. */
  give(used: Writer): void;
}

/**
 * Keeps buffers of at least `least` bytes, up to `most` bytes in total. The oldest buffer is dropped first. Without a
 * pool, V8 frees buffers that live as long as a request waits only late, after up to 64 MB of unused buffers.
 */
export function createBufferPool({ least, most }: { least: number; most: number }): BufferPool {
  const free: Buffer[] = [];
  let bytes = 0;
  return {
    take(wanted) {
      const at = wanted < least ? -1 : free.findLastIndex(({ length }) => length >= wanted);
      const [buffer] = at < 0 ? [] : free.splice(at, 1);
      if (!buffer) return createWriter(wanted);
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
