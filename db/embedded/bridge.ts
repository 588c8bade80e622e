import { Duplex } from "node:stream";
import { getStatementTimeoutMs } from "../statements/statement.ts";
import type { Supervisor } from "./supervisor.ts";
import type { MessageBatch } from "./thread.ts";

/**
 * First byte of each kind of message. A start-up message has no type byte: the first byte of a start-up message is the
 * zero byte of its length.
 */
const STARTUP = 0x00;
const BIND = 0x42;
const CLOSE = 0x43;
const PARSE = 0x50;
const QUERY = 0x51;
const TERMINATE = 0x58;
const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);

/**
 * The messages AuthenticationOk and ReadyForQuery (idle). When the driver connects, the driver waits only for
 * AuthenticationOk and ReadyForQuery.
 */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

/** Encodes a simple Query message. */
function queryMessage(text: string): Buffer {
  const message = Buffer.alloc(text.length + 6);
  message.writeUInt8(QUERY);
  message.writeInt32BE(text.length + 5, 1);
  message.write(text, 5);
  return message;
}

/** Messages that clear the state of an earlier connection, because all connections share the engine's only session. */
const RESET = ["rollback", "discard all"].map(queryMessage);

/** Stream that the pg driver uses as its socket. */
export interface EngineSocket extends Duplex {
  /** Cancels the running statement of this connection. */
  cancel(): void;
}

/** Creates a connection to the embedded engine. */
export function createEngineSocket(engine: Supervisor): EngineSocket {
  const fail = (error: Error) => void bridge.destroy(error);
  const sent = new Set<MessageBatch>();
  const exchange = async (bytes: Buffer, onBytes: (bytes: Uint8Array) => void) => {
    const batch = { bytes, limit: getStatementTimeoutMs(), onBytes };
    sent.add(batch);
    await engine.exchange(batch).finally(() => sent.delete(batch));
  };
  const take = batches(async (type, bytes) => {
    if (type === TERMINATE) return void bridge.destroy();
    if (type !== STARTUP) return exchange(bytes, (answer) => bridge.push(answer));
    for (const message of RESET) await exchange(message, () => {});
    bridge.push(WELCOME);
  });

  const bridge = new Duplex({
    read() {},
    write(message, _encoding, done) {
      take(message)?.catch(fail);
      done();
    },
    writev(messages, done) {
      for (const { chunk } of messages) take(chunk)?.catch(fail);
      done();
    },
  });
  const ignored = () => bridge;
  const connect = () => void engine.ready().then(() => bridge.emit("connect"), fail);
  const cancel = () => sent.forEach(engine.cancel);
  const socket = { setNoDelay: ignored, setKeepAlive: ignored, ref: ignored, unref: ignored };
  return Object.assign(bridge, { connect, cancel, ...socket });
}

/**
 * Collects messages into batches. The engine processes each batch in a single call. The driver writes complete
 * messages, and writes all messages of one statement at once, so a batch ends with a Sync or Query message.
 */
function batches(send: (type: number, bytes: Buffer) => Promise<void>) {
  let batch: Buffer[] = [];
  return (message: Buffer): Promise<void> | undefined => {
    const type = message[0] ?? STARTUP;
    batch.push(message);
    if (!ENDS.includes(type) && !endsWithSync(type, message)) return undefined;
    const bytes = Buffer.concat(batch);
    batch = [];
    return send(type, bytes);
  };
}

/**
 * Types of messages that end a batch, because after such a message the driver waits for a response or closes the
 * connection.
 */
const ENDS = [SYNC[0], QUERY, STARTUP, TERMINATE];

/**
 * Returns true if `piece` begins with a Parse, Bind or Close message and ends with a Sync message. None of these three
 * messages can itself end with the bytes of a Sync.
 */
const endsWithSync = (type: number, piece: Buffer): boolean =>
  (type === PARSE || type === BIND || type === CLOSE) && piece.subarray(-SYNC.length).equals(SYNC);
