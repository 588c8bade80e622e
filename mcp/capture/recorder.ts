import { uuidv7 } from "uuidv7";
import type { QueuedEvent } from "./batch.ts";
import { createSendQueue } from "./send-queue.ts";

/** A call of a tool of this server, to be recorded. */
export interface RecordedCall {
  /** The caller's ingest key. */
  key: string;
  sessionId: string;
  /** The event of the turn it was made in, if the client sent one. */
  turnId: string | undefined;
  tool: string;
  args: unknown;
  result: string;
  success: boolean;
  /** When it began, epoch ms, and how long it took, ms. */
  timestamp: number;
  latency: number;
}

/** Records calls beside them: `record` never waits and never fails. */
export interface Recorder {
  record(call: RecordedCall): void;
  /** Sends what is left, for as long as `deadline` allows. */
  close(deadline: AbortSignal): Promise<void>;
}

const FLUSH_MS = 500;
const MAX_WAIT_MS = 30_000;
const MAX_CHARACTERS = 64 * 1024;

/** Sends calls to capture-events of the Trackway at `url` in batches; while it is away, with growing waits. */
export function createRecorder(url: string): Recorder {
  const queue = createSendQueue(url);
  let wait = FLUSH_MS;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  const send = async () => {
    try {
      wait = (await queue.flush()) ? Math.min(wait * 2, MAX_WAIT_MS) : FLUSH_MS;
    } finally {
      sending = undefined;
      schedule();
    }
  };
  const schedule = () => {
    if (timer || sending || queue.isEmpty()) return;
    timer = setTimeout(() => {
      timer = undefined;
      sending = send();
    }, wait).unref();
  };

  return {
    record(call) {
      queue.push(() => toEvent(call));
      schedule();
    },
    async close(deadline) {
      clearTimeout(timer);
      await sending;
      clearTimeout(timer);
      if (!queue.isEmpty()) await queue.flush(deadline);
    },
  };
}

function toEvent(call: RecordedCall): QueuedEvent {
  const cut = (text: string) => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text);
  return {
    key: call.key,
    event: {
      event_id: uuidv7(),
      session_id: call.sessionId,
      primitive_name: call.tool,
      primitive_type: "tool",
      args: cut(JSON.stringify(call.args ?? {})),
      result: cut(call.result),
      success: call.success,
      latency: call.latency,
      timestamp: call.timestamp,
      ...(call.turnId && { parent_id: call.turnId }),
    },
  };
}
