import type { ClientBase } from "pg";
import type { Statement } from "../database.ts";
import type { Answer, Part } from "./answers.ts";
import { createPacket } from "./packet.ts";

/** Sends one statement, and resolves to what it answered. */
export type Send = (statement: Statement) => Promise<Answer>;

/**
 * Sends statements over a connection: those of one turn of the event loop, and those that wait for the answers to
 * others, go out as one packet that ends with one Sync, and are answered with one. On a small statement most of the
 * CPU is packets, of both sides.
 */
export function createPipeline(client: ClientBase): Send {
  let waiting: Part[] = [];
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
      if (waiting.length === 0) process.nextTick(flush);
      // A spread comes last: V8 adds each member behind one by a call of its runtime.
      waiting.push({ resolve, reject, ...statement });
    });
}

/** Sends one statement as a packet of its own. */
export const sendAlone = (client: ClientBase, statement: Statement): Promise<Answer> =>
  new Promise((resolve, reject) => {
    void client.query(createPacket([{ resolve, reject, ...statement }], ignore));
  });

const ignore = () => {};
