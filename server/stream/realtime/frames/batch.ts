import { envelope } from "../../../resources/change/envelope.ts";
import type { Change } from "../../change.ts";

/** Changes encoded once for any number of sockets. */
export interface Batch {
  /** Numbers of the first and last change of the batch. */
  first: number;
  last: number;
  /** One engine.io message for long polling. Separators inside the text split the message into one packet per event. */
  text: string;
  /** One WebSocket frame per event in a single buffer, so that each socket needs one write. */
  frames: Buffer;
}

/** Packet type of engine.io for a message, and of socket.io for an event. */
const MESSAGE = "4";
const EVENT = "2";
/** Separates packets in an engine.io payload. JSON never contains this character unescaped. */
const SEPARATOR = "\x1e";
/** First byte of a frame: FIN and the opcode for text. */
const TEXT_FRAME = 0x81;

/**
 * Encodes changes as one socket.io event per change. Batching happens below the level of events, so that a burst
 * costs each socket one write (docs/realtime.md).
 */
export function encodeBatch(organizationId: string, changes: readonly Change[]): Batch {
  const packets = changes.map((change) => EVENT + JSON.stringify([change.event, envelope(organizationId, change)]));
  return {
    first: changes[0]?.lastSyncId ?? 0,
    last: changes.at(-1)?.lastSyncId ?? 0,
    text: packets.join(SEPARATOR + MESSAGE),
    frames: Buffer.concat(packets.flatMap((packet) => frame(Buffer.from(MESSAGE + packet)))),
  };
}

/** Builds a complete, unmasked text frame (RFC 6455 §5.2). */
function frame(payload: Buffer): Buffer[] {
  const { length } = payload;
  if (length < 126) return [Buffer.of(TEXT_FRAME, length), payload];
  const header = Buffer.alloc(length < 0x10000 ? 4 : 10);
  header[0] = TEXT_FRAME;
  header[1] = length < 0x10000 ? 126 : 127;
  if (length < 0x10000) header.writeUInt16BE(length, 2);
  else header.writeBigUInt64BE(BigInt(length), 2);
  return [header, payload];
}
