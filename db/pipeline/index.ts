import { channel } from "node:diagnostics_channel";
import type { ClientBase } from "pg";
import type { Statement } from "../database.ts";
import type { PacketPart, StatementResult } from "./answers.ts";
import { createPacket } from "./packet.ts";

/** Sends a statement and returns the result. */
export type SendStatement = (statement: Statement) => Promise<StatementResult>;

/** Publishes each statement before it is sent. Tests subscribe to run each statement on Citus. */
const sending = channel("trackway:statement");

/**
 * Sends statements over a connection. Statements of one turn of the event loop, and statements that wait for earlier
 * results, are sent as one packet with one Sync and get one response. Packets cause most of the CPU of a small statement, on
 * both sides.
 */
export function createPipeline(client: ClientBase): SendStatement {
  let waiting: PacketPart[] = [];
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
      // The spread is last, because V8 adds each member after a spread with a slow call.
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
