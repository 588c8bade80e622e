import { envelope } from "../../../resources/change/envelope.ts";
import type { Change } from "../../change.ts";

/** Changes as they go out to any number of sockets, encoded once. */
export interface Batch {
  /** Numbers of the first and the last change in it. */
  first: number;
  last: number;
  /** One engine.io message for long polling; the separators within make it a payload of one event each. */
  text: string;
  /** One WebSocket frame an event, all in one buffer: one write a socket. */
  frames: Buffer;
}

/** engine.io's type of a packet that carries a message, and socket.io's of one that carries an event. */
const MESSAGE = "4";
const EVENT = "2";
/** Parts packets in an engine.io payload; JSON never holds it unescaped. */
const SEPARATOR = "\x1e";
/** FIN and the opcode of text. */
const TEXT_FRAME = 0x81;

/**
 * Encodes changes as the socket.io events of the same number: batching happens below the event level, so that a burst
 * costs a socket one write (docs/realtime.md).
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

/** A whole, unmasked text frame (RFC 6455 §5.2). */
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
