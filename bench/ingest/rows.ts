import { uuidv7 } from "uuidv7";

export interface SentEvent {
  event_id: string;
  session_id: string;
  primitive_name: string;
  primitive_type: string;
  args: string;
  result: string;
  success: boolean;
  latency: number;
  timestamp: number;
  metadata: Record<string, unknown>;
}

const WORDS = "the order was placed on Monday and shipped from the warehouse in Lyon to the customer's address ".repeat(
  40,
);
/** Bytes of an event besides `result`. */
const FRAME_BYTES = 480;
const SESSION_EVENTS = 25;

/** Creates `count` events of about `bytes` bytes of JSON each, with 25 events per session. */
export function newEvents(count: number, bytes: number): SentEvent[] {
  let session_id = "";
  return Array.from({ length: count }, (_, index) => {
    if (index % SESSION_EVENTS === 0) session_id = uuidv7();
    const timestamp = Date.now();
    return {
      event_id: uuidv7(),
      session_id,
      primitive_name: "search_orders",
      primitive_type: "tool",
      args: JSON.stringify({ query: "status of order", limit: 10, customer: index }),
      result: WORDS.slice(index % 50, (index % 50) + Math.max(0, bytes - FRAME_BYTES)),
      success: index % 20 !== 0,
      latency: 40 + (index % 300),
      timestamp,
      metadata: { "checkpoint.parsed": timestamp + 1, "checkpoint.answered": timestamp + 30, region: "eu-west" },
    };
  });
}

/** Bodies of capture-events with `size` events each. */
export const buildBatches = (count: number, size: number, bytes: number): Buffer[] =>
  Array.from({ length: count }, () => Buffer.from(JSON.stringify({ events: newEvents(size, bytes) })));

/** Bodies of capture-event. */
export const buildSingles = (count: number, bytes: number): Buffer[] =>
  newEvents(count, bytes).map((event) => Buffer.from(JSON.stringify(event)));
