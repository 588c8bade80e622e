import type { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type JSONRPCRequest,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import {
  createErrorResponse,
  ERROR_CODES,
  isRequest,
  MAX_BATCH,
  readCancelledId,
  readClaimedVersion,
  VERSION_2026,
} from "./versions.ts";

/** Maximum length of a line in bytes, the same as in the SDK's transport. */
const MAX_BYTES = 10 * 1024 * 1024;
const NEWLINE = 0x0a;

interface LineTransport extends Transport {
  /** Resolves when the input has ended and the server has received its last line. */
  ended: Promise<void>;
}

/** Batch of requests that arrived in one line. The server writes the responses of a batch together in one line. */
interface Batch {
  open: Set<RequestId>;
  responses: JSONRPCMessage[];
}

/**
 * Creates a transport for JSON-RPC messages, one per line. The SDK's transport does not respond to three kinds of
 * lines: a batch of 2025-03-26, a line that is not a JSON-RPC message, and a last line without a line feed.
 */
export function createLineTransport(input: Readable, output: Writable): LineTransport {
  const batches = new Map<RequestId, Batch>();
  const write = (value: JSONRPCMessage | JSONRPCMessage[]) =>
    new Promise<void>((resolve) => output.write(`${JSON.stringify(value)}\n`, () => resolve()));

  /** Writes the responses of a batch when the last response is ready. Writes nothing if every request was cancelled. */
  async function settle(id: RequestId, response?: JSONRPCMessage): Promise<void> {
    const batch = batches.get(id);
    if (!batch) return;
    batches.delete(id);
    batch.open.delete(id);
    if (response) batch.responses.push(response);
    if (batch.open.size === 0 && batch.responses.length > 0) await write(batch.responses);
  }

  function handOn(message: JSONRPCMessage): void {
    const cancelled = readCancelledId(message);
    transport.onmessage?.(message);
    if (cancelled !== undefined) void settle(cancelled);
  }

  function receiveBatch(parts: unknown[]): void {
    if (parts.length === 0 || parts.length > MAX_BATCH) {
      void write(invalid(null, `a batch holds 1 to ${MAX_BATCH} messages; this one holds ${parts.length}`));
      return;
    }
    const batch: Batch = { open: new Set(), responses: [] };
    const good: JSONRPCMessage[] = [];
    for (const part of parts) {
      const message = parseMessage(part);
      const fault = message && isRequest(message) ? faultInBatch(message, batch) : undefined;
      if (!message) batch.responses.push(notAMessage(part));
      else if (fault) batch.responses.push(invalid(idOf(part), fault));
      else good.push(message);
      if (message && !fault && isRequest(message)) batch.open.add(message.id);
    }
    for (const id of batch.open) batches.set(id, batch);
    if (batch.open.size === 0 && batch.responses.length > 0) void write(batch.responses);
    for (const message of good) handOn(message);
  }

  /**
   * Returns the reason why a batch must not contain a request; undefined if the request is allowed. A batch must not
   * contain an id that is in use, an `initialize` request, or a request of version 2026-07-28.
   */
  function faultInBatch(request: JSONRPCRequest, { open }: Batch): string | undefined {
    if (readClaimedVersion(request) !== undefined) return `${VERSION_2026} has no batches`;
    if (request.method === "initialize") return "initialize must not be part of a batch";
    if (open.has(request.id) || batches.has(request.id)) return `id ${request.id} is used twice`;
    return undefined;
  }

  function receiveLine(line: string): void {
    if (line.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      void write(createErrorResponse(null, -32700, "Parse error: the line is not JSON"));
      return;
    }
    const message = parseMessage(value);
    if (Array.isArray(value)) receiveBatch(value);
    else if (message) handOn(message);
    else void write(notAMessage(value));
  }

  const lines = splitLines(receiveLine, () => {
    void write(invalid(null, `a line holds at most ${MAX_BYTES} bytes`));
  });
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      const rest = lines.end();
      if (rest !== undefined && isJson(rest)) receiveLine(rest);
      else if (rest !== undefined) transport.onerror?.(new Error("stdin ended within a message; it was not run"));
      resolve();
    };
    for (const event of ["end", "close"]) input.once(event, end);
  });
  const transport: LineTransport = {
    ended,
    async start() {
      input.on("data", lines.add);
      input.on("error", (error) => transport.onerror?.(error));
    },
    async send(message) {
      const id = "method" in message ? undefined : message.id;
      if (id !== undefined && batches.has(id)) await settle(id, message);
      else await write(message);
    },
    async close() {
      input.off("data", lines.add);
      input.pause();
      transport.onclose?.();
    },
  };
  return transport;
}

/** Splits bytes into lines. A line over the limit is dropped and reported once. */
function splitLines(onLine: (line: string) => void, onTooLong: () => void) {
  let parts: Buffer[] = [];
  let size = 0;
  const take = () => {
    const line = Buffer.concat(parts);
    const isTooLong = size > MAX_BYTES;
    [parts, size] = [[], 0];
    return isTooLong ? undefined : line.toString("utf8");
  };
  const keep = (bytes: Buffer) => {
    const wasTooLong = size > MAX_BYTES;
    size += bytes.length;
    if (size <= MAX_BYTES) parts.push(bytes);
    else if (!wasTooLong) {
      parts = [];
      onTooLong();
    }
  };
  return {
    add(chunk: Buffer) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, at));
        from = at + 1;
        const line = take();
        if (line !== undefined) onLine(line);
      }
      if (from < chunk.length) keep(chunk.subarray(from));
    },
    /** Returns the text after the last line feed; undefined if there is no text. */
    end: () => (size === 0 ? undefined : take()),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parseMessage(value: unknown): JSONRPCMessage | undefined {
  const parsed = JSONRPCMessageSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

const invalid = (id: RequestId | null, why: string) =>
  createErrorResponse(id, ERROR_CODES.invalidRequest, `Invalid request: ${why}`);

const notAMessage = (value: unknown) => invalid(idOf(value), "not a JSON-RPC 2.0 message");

/**
 * Returns the id of an invalid message for the error response, or null if
 * the id cannot be read, as JSON-RPC requires.
 */
function idOf(value: unknown): RequestId | null {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
