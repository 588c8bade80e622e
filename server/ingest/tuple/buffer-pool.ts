import { type Writer, writer } from "./writer.ts";

/** Memory that was written to before, for whoever writes next: new memory costs more than what is written to it. */
export interface BufferPool {
  /** A writer at its beginning, with room for so many bytes or for what it had room for before. */
  take(bytes: number): Writer;
  /** Takes back a writer whose bytes nobody reads any more. */
  give(used: Writer): void;
}

/** Keeps at most `count` buffers between `least` and `most` bytes; others are made anew and let go. */
export function bufferPool({ least, most, count }: { least: number; most: number; count: number }): BufferPool {
  const free: Buffer[] = [];
  return {
    take(bytes) {
      const buffer = bytes >= least ? free.pop() : undefined;
      return buffer ? { buffer, at: 0 } : writer(bytes);
    },
    give({ buffer }) {
      if (buffer.length >= least && buffer.length <= most && free.length < count) free.push(buffer);
    },
  };
}
