import { channel } from "node:diagnostics_channel";
import type { ClientBase } from "pg";
import type { Statement } from "../database.ts";
import type { PacketStatement, StatementResult } from "./answers.ts";
import { createPacket } from "./packet.ts";

export type SendStatement = (statement: Statement) => Promise<StatementResult>;

/**
 * Channel that publishes each statement before the statement is sent. Tests subscribe to the channel and run each
 * statement on Citus.
 */
const sending = channel("trackway:statement");

/**
 * Sends statements over a connection. Statements of one turn of the event loop, and statements that wait for earlier
 * results, form one packet with one Sync, and get one response. Fewer packets save CPU time: packets cause most of the
 * CPU time of a small statement, in the client and in the server.
 */
export function createPipeline(client: ClientBase): SendStatement {
  let waiting: PacketStatement[] = [];
  let busy = false;
  const flush = () => {
    if (busy || waiting.length === 0) return;
    busy = true;
    const parts = waiting;
    waiting = [];
    const done = () => {
      busy = false;
      flush();
    };
    void client.query(createPacket(parts, done));
  };
  return (statement) =>
    new Promise((resolve, reject) => {
      if (sending.hasSubscribers) sending.publish(statement);
      if (waiting.length === 0) process.nextTick(flush);
      // The spread must be last, because V8 adds every member that follows a spread with a slow call.
      waiting.push({ resolve, reject, ...statement });
    });
}

/** Sends a statement in a separate packet. */
export const sendAlone = (client: ClientBase, statement: Statement): Promise<StatementResult> =>
  new Promise((resolve, reject) => {
    if (sending.hasSubscribers) sending.publish(statement);
    void client.query(createPacket([{ resolve, reject, ...statement }], ignore));
  });

const ignore = () => {};
