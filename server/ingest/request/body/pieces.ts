/**
 * Collects the chunks of a body. The memory used stays below twice the received bytes, whatever the size of the chunks.
 */
export interface BodyChunks {
  size: number;
  /** Number of chunks received. */
  count: number;
  held: Buffer[];
  /** Buffer into which small chunks are copied. The bytes from `from` to `to` are not in `held` yet. */
  block: Buffer;
  from: number;
  to: number;
}

const NONE = Buffer.alloc(0);
/**
 * Number of chunks at the start of a body that are kept without copying. Nearly all bodies have at most this many
 * chunks.
 */
const UNCOPIED = 16;
/** Size from which a chunk is kept without copying, in bytes. */
const LARGE_BYTES = 4 * 1024;
const LEAST_BLOCK_BYTES = 1024;
const LARGEST_BLOCK_BYTES = 64 * 1024;
const SCRATCH_BYTES = 2 * 1024 * 1024;
let scratch: Buffer | undefined;

export const createBodyChunks = (): BodyChunks => ({ size: 0, count: 0, held: [], block: NONE, from: 0, to: 0 });

export function addBodyChunk(pieces: BodyChunks, piece: Buffer): void {
  pieces.size += piece.length;
  pieces.count += 1;
  if (pieces.count <= UNCOPIED || piece.length >= LARGE_BYTES) {
    settle(pieces);
    pieces.held.push(piece);
    return;
  }
  if (pieces.to + piece.length > pieces.block.length) {
    settle(pieces);
    const bytes = Math.min(Math.max(pieces.size, LEAST_BLOCK_BYTES), LARGEST_BLOCK_BYTES);
    Object.assign(pieces, { block: Buffer.allocUnsafeSlow(Math.max(bytes, piece.length)), from: 0, to: 0 });
  }
  pieces.to += piece.copy(pieces.block, pieces.to);
}

/** Moves the collected bytes to the end of `held`. */
function settle(pieces: BodyChunks): void {
  if (pieces.to === pieces.from) return;
  pieces.held.push(pieces.block.subarray(pieces.from, pieces.to));
  pieces.from = pieces.to;
}

/** Size in bytes above which a body is large. Reading a large body takes a millisecond or more. */
const LARGE_BODY_BYTES = 64 * 1024;

/** Returns true if a body takes long to read. */
export const isLargeBody = ({ size }: BodyChunks): boolean => size > LARGE_BODY_BYTES;

/**
 * Joins the chunks of a body. A single chunk is returned without copying. A large body of at most SCRATCH_BYTES is
 * copied into a reused buffer, because allocating memory costs more than copying; reuse is safe because only one large
 * body is read at a time.
 */
export function joinBodyChunks(pieces: BodyChunks): Buffer {
  settle(pieces);
  const { held, size } = pieces;
  const [only] = held;
  if (held.length === 1 && only) return only;
  if (!isLargeBody(pieces) || size > SCRATCH_BYTES) return Buffer.concat(held, size);
  scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  let at = 0;
  for (const piece of held) at += piece.copy(scratch, at);
  return scratch.subarray(0, size);
}
