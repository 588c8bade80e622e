import { uuidv7 } from "uuidv7";
import { logWarning } from "../log.ts";
import { batchesOf, type QueuedEvent, sizeOf } from "./batch.ts";
import { deliver } from "./deliver.ts";

/** A call of a tool of this server, to be recorded. */
export interface RecordedCall {
  /** The caller's ingest key. */
  key: string;
  sessionId: string;
  /** The event of the turn it was made in, if the client told. */
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
const MOST_QUEUED = 1_000;
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_CHARACTERS = 64 * 1024;
const LONGEST_WAIT_MS = 30_000;

/** Queues calls and sends them to capture-events of the Trackway at `url` in batches; a full queue drops the newest. */
export function createRecorder(url: string): Recorder {
  let queue: QueuedEvent[] = [];
  let bytes = 0;
  let dropped = 0;
  let wait = FLUSH_MS;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  const flush = async (deadline?: AbortSignal) => {
    const taken = queue;
    queue = [];
    bytes = 0;
    const kept: QueuedEvent[] = [];
    for (const batch of batchesOf(taken)) if (!(await deliver(url, batch, deadline))) kept.push(...batch);
    wait = kept.length > 0 ? Math.min(wait * 2, LONGEST_WAIT_MS) : FLUSH_MS;
    queue = [...kept, ...queue];
    bytes = queue.reduce((sum, event) => sum + sizeOf(event), 0);
    if (dropped > 0) logWarning(`capture: the queue was full, ${dropped} calls were not recorded`);
    dropped = 0;
  };
  const plan = () => {
    if (timer || sending || queue.length === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      sending = flush().finally(() => {
        sending = undefined;
        plan();
      });
    }, wait).unref();
  };

  return {
    record(call) {
      if (queue.length >= MOST_QUEUED || bytes > MOST_BYTES) {
        dropped += 1;
        return;
      }
      const event = toEvent(call);
      queue.push(event);
      bytes += sizeOf(event);
      plan();
    },
    async close(deadline) {
      clearTimeout(timer);
      await sending;
      if (queue.length > 0) await flush(deadline);
    },
  };
}

function toEvent(call: RecordedCall): QueuedEvent {
  const cut = (text: string) => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text);
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
