import { Duplex } from "node:stream";
import { statementLimit } from "../statements/statement.ts";
import type { Supervisor } from "./supervisor.ts";
import type { Batch } from "./thread.ts";

/** The first byte of messages; a start-up message has none, and begins with the zero of its length. */
const STARTUP = 0x00;
const BIND = 0x42;
const CLOSE = 0x43;
const PARSE = 0x50;
const QUERY = 0x51;
const TERMINATE = 0x58;
/** A Sync message. */
const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);

/** AuthenticationOk and ReadyForQuery (idle): all the driver waits for when it connects. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

/** A simple Query message. */
function queryMessage(text: string): Buffer {
  const message = Buffer.alloc(text.length + 6);
  message.writeUInt8(QUERY);
  message.writeInt32BE(text.length + 5, 1);
  message.write(text, 5);
  return message;
}

/** Clears what an earlier connection may have left behind: the engine has one session, which they all share. */
const RESET = ["rollback", "discard all"].map(queryMessage);

/** The stream the pg driver takes for its socket. */
export interface Bridge extends Duplex {
  /** Cancels what the engine does for this connection. */
  cancel(): void;
}

/** A connection to the embedded engine. */
export function createBridge(engine: Supervisor): Bridge {
  const fail = (error: Error) => void bridge.destroy(error);
  const sent = new Set<Batch>();
  const exchange = async (bytes: Buffer, onBytes: (bytes: Uint8Array) => void) => {
    const batch = { bytes, limit: statementLimit(), onBytes };
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
 * Joins messages to batches that the engine can answer in one go. Whole messages are written, and a statement's as one
 * piece, so a batch is complete with the Sync or Query that ends it.
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

/** Messages after which the engine answers. */
const ENDS = [SYNC[0], QUERY, STARTUP, TERMINATE];

/** True when a piece of a statement, or that closes one, ends with a Sync; neither Parse, Bind nor Close itself ends like one. */
const endsWithSync = (type: number, piece: Buffer): boolean =>
  (type === PARSE || type === BIND || type === CLOSE) && piece.subarray(-SYNC.length).equals(SYNC);
