import { createChangeEnvelope } from "../../../resources/change/envelope.ts";
import type { ChangeLogEntry } from "../../change.ts";

/** Changes encoded once for any number of sockets. */
export interface EncodedChangeBatch {
  /** Numbers of the first and last change of the batch. */
  first: number;
  last: number;
  /** One engine.io message for long polling. Separators inside the text split the message into one packet per event. */
  text: string;
  /** One WebSocket frame per event in a single buffer, so that each socket needs one write. */
  frames: Buffer;
}

/** Packet types: engine.io's type for a message, and socket.io's type for an event. */
const MESSAGE = "4";
const EVENT = "2";
/** Separates packets in an engine.io payload. JSON never contains this character unescaped. */
const SEPARATOR = "\x1e";
/** First byte of a frame: FIN and the opcode for text. */
const TEXT_FRAME = 0x81;

/**
 * Encodes changes as one socket.io event per change. The events are written together, so that a burst of changes costs
 * each socket only one write (docs/realtime.md).
 */
export function encodeChangeBatch(organizationId: string, changes: readonly ChangeLogEntry[]): EncodedChangeBatch {
  const packets = changes.map(
    (change) => EVENT + JSON.stringify([change.event, createChangeEnvelope(organizationId, change)]),
  );
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
