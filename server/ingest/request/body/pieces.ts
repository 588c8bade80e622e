/** The bytes of a body as they arrive. However small the pieces, what is held stays below twice their bytes. */
export interface Pieces {
  size: number;
  /** The number of pieces that arrived. */
  count: number;
  held: Buffer[];
  /** The block in which small pieces are gathered. Its part from `from` to `to` is not yet among those held. */
  block: Buffer;
  from: number;
  to: number;
}

const NONE = Buffer.alloc(0);
/** The first pieces of a body are held as they are: nearly all bodies have no more, and are not copied while they arrive. */
const UNCOPIED = 16;
/** A piece of so many bytes is held as it is. */
const LARGE_BYTES = 4 * 1024;
const LEAST_BLOCK_BYTES = 1024;
const LARGEST_BLOCK_BYTES = 64 * 1024;
const SCRATCH_BYTES = 2 * 1024 * 1024;
let scratch: Buffer | undefined;

/** Nothing has arrived. */
export const noPieces = (): Pieces => ({ size: 0, count: 0, held: [], block: NONE, from: 0, to: 0 });

/** Takes the next piece. */
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

/** Puts what was gathered behind what is held. */
function settle(pieces: Pieces): void {
  if (pieces.to === pieces.from) return;
  pieces.held.push(pieces.block.subarray(pieces.from, pieces.to));
  pieces.from = pieces.to;
}

/** More takes a millisecond or longer to read. */
const LARGE_BODY_BYTES = 64 * 1024;

/** Reports whether a body takes long to read. */
export const isLarge = ({ size }: Pieces): boolean => size > LARGE_BODY_BYTES;

/**
 * One piece as it is, several of a large body in a place used again: new memory for each body costs more than copying into
 * old. One large body is read at a time.
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
