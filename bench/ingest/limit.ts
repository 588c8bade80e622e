import pg from "pg";
import { sendCopyMessage } from "../../server/ingest/tuple/index.ts";
import { newEvents, type SentEvent } from "./rows.ts";

// The limit, in a separate process: COPY in text format of the same rows, encoded in advance, one commit per batch.
// The parent sends {prepare: batches, size, bytes}, then an empty order to run the prepared batches.

const organization_id = "00000000-0000-7000-8000-000000000002";
const COPY = `copy limit_event (organization_id, event_id, session_id, timestamp, received_at, latency, timestamp_sent,
  success, primitive_name, primitive_type, args, result, metadata) from stdin`;

interface Order {
  prepare?: number;
  size: number;
  bytes: number;
}

const client = new pg.Client(process.env["DATABASE_URL"]);
await client.connect();
let buffers: Buffer[] = [];

process.on("message", async ({ prepare, size, bytes }: Order) => {
  if (prepare) buffers = Array.from({ length: prepare }, () => message(newEvents(size, bytes).map(line).join("")));
  else for (const buffer of buffers.splice(0)) await sendCopyMessage(client, COPY, buffer);
  process.send?.("done");
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");

/** Builds a CopyData message of the PostgreSQL protocol. */
function message(text: string): Buffer {
  const bytes = Buffer.from(`d\0\0\0\0${text}`);
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
}

const line = (event: SentEvent) => {
  const at = new Date(event.timestamp).toISOString();
  const { event_id, session_id, latency, success, primitive_name, primitive_type, args, result, metadata } = event;
  const ids = [organization_id, event_id, session_id, at, at, latency, true, success, primitive_name, primitive_type];
  return `${[...ids, escaped(args), escaped(result), escaped(JSON.stringify(metadata))].join("\t")}\n`;
};

const escaped = (value: string) =>
  value.replace(/[\\\t\n\r]/g, (char) => ({ "\t": "\\t", "\n": "\\n", "\r": "\\r" })[char] ?? "\\\\");
