/** Bytes of a body as they arrive. Whatever the size of the chunks, the memory stays below twice the received bytes. */
export interface Pieces {
  size: number;
  /** Number of chunks received. */
  count: number;
  held: Buffer[];
  /** Block that collects small chunks. The bytes between `from` and `to` are not yet in `held`. */
  block: Buffer;
  from: number;
  to: number;
}

const NONE = Buffer.alloc(0);
/** The first chunks are kept without copying. Nearly all bodies have no more chunks. */
const UNCOPIED = 16;
/** Chunks of this size are kept without copying. */
const LARGE_BYTES = 4 * 1024;
const LEAST_BLOCK_BYTES = 1024;
const LARGEST_BLOCK_BYTES = 64 * 1024;
const SCRATCH_BYTES = 2 * 1024 * 1024;
let scratch: Buffer | undefined;

export const noPieces = (): Pieces => ({ size: 0, count: 0, held: [], block: NONE, from: 0, to: 0 });

export function addPiece(pieces: Pieces, piece: Buffer): void {
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
function settle(pieces: Pieces): void {
  if (pieces.to === pieces.from) return;
  pieces.held.push(pieces.block.subarray(pieces.from, pieces.to));
  pieces.from = pieces.to;
}

/** Larger bodies take a millisecond or more to read. */
const LARGE_BODY_BYTES = 64 * 1024;

/** Returns true if a body takes long to read. */
export const isLarge = ({ size }: Pieces): boolean => size > LARGE_BODY_BYTES;

/**
 * Joins the chunks of a body. A single chunk is returned without copying. A large body is copied to a reused buffer:
 * allocating memory for each body costs more than copying to existing memory. Only one large body is read at a time.
 */
export function joinPieces(pieces: Pieces): Buffer {
  settle(pieces);
  const { held, size } = pieces;
  const [only] = held;
  if (held.length === 1 && only) return only;
  if (!isLarge(pieces) || size > SCRATCH_BYTES) return Buffer.concat(held, size);
  scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  let at = 0;
  for (const piece of held) at += piece.copy(scratch, at);
  return scratch.subarray(0, size);
}
