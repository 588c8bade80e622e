import { Duplex } from "node:stream";
import { statementLimit } from "../statement.ts";
import type { Supervisor } from "./supervisor.ts";

const QUERY = 0x51;
const SYNC = 0x53;
const TERMINATE = 0x58;
const STARTUP = 0x00;

/** AuthenticationOk and ReadyForQuery (idle): all the driver needs to hear at its start. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

/** A simple Query message. */
function queryMessage(text: string): Buffer {
  const message = Buffer.alloc(text.length + 6);
  message.writeUInt8(QUERY);
  message.writeInt32BE(text.length + 5, 1);
  message.write(text, 5);
  return message;
}

/** What a connection may have left behind: the engine has one session, and each connection inherits it. */
const RESET = ["rollback", "discard all"].map(queryMessage);

/**
 * The stream the pg driver takes for its socket. The driver writes whole messages, so a batch is complete with
 * the Sync or Query that ends it, and goes to the engine in one piece.
 */
export function createBridge(engine: Supervisor): Duplex {
  let batch: Buffer[] = [];

  const exchange = (bytes: Buffer, onBytes: (bytes: Uint8Array) => void) =>
    engine.exchange(bytes, statementLimit(), onBytes);

  const welcome = async () => {
    for (const message of RESET) await exchange(message, () => {});
    bridge.push(WELCOME);
  };

  const take = (message: Buffer) => {
    const type = message[0];
    if (type === TERMINATE) return void bridge.destroy();
    if (type === STARTUP) return void welcome().catch(fail);
    batch.push(message);
    if (type !== SYNC && type !== QUERY) return;
    const bytes = Buffer.concat(batch);
    batch = [];
    exchange(bytes, (answer) => bridge.push(answer)).catch(fail);
  };

  const fail = (error: Error) => void bridge.destroy(error);

  const bridge = new Duplex({
    read() {},
    write(message, _encoding, done) {
      take(message);
      done();
    },
    writev(messages, done) {
      for (const { chunk } of messages) take(chunk);
      done();
    },
  });
  const ignored = () => bridge;
  return Object.assign(bridge, {
    connect: () => void engine.ready().then(() => bridge.emit("connect"), fail),
    setNoDelay: ignored,
    setKeepAlive: ignored,
    ref: ignored,
    unref: ignored,
  });
}
