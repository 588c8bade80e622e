import { type Writer, writer } from "./writer.ts";

/** Memory that was written to before, for whoever writes next: new memory costs more than what is written to it. */
export interface BufferPool {
  /** A writer at its beginning, with room for so many bytes. */
  take(bytes: number): Writer;
  /** Takes back a writer whose bytes nobody reads any more. */
  give(used: Writer): void;
}

/**
 * Keeps buffers of at least `least` bytes, `most` bytes in all: the oldest is let go for the next. Buffers that live as long as a
 * request waits are freed late when they are let go, since the engine collects up to 64 MB of such memory first.
 */
export function bufferPool({ least, most }: { least: number; most: number }): BufferPool {
  const free: Buffer[] = [];
  let bytes = 0;
  return {
    take(wanted) {
      const at = wanted < least ? -1 : free.findLastIndex(({ length }) => length >= wanted);
      const [buffer] = at < 0 ? [] : free.splice(at, 1);
      if (!buffer) return writer(wanted);
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
