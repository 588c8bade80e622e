import { uuidv7 } from "uuidv7";
import { parseJsonObjectBody, toStringOrUndefined } from "../api/answer.ts";
import { logWarning } from "../log.ts";

/** Event in the queue, with the ingest key that sends the event. */
interface QueuedEvent {
  key: string;
  event: Record<string, unknown> & { args: string; result: string };
}

const MAX_EVENTS = 100;
const MAX_BYTES = 4 * 1024 * 1024;

/** Returns the approximate memory of an event in bytes. */
const estimateSize = ({ event }: QueuedEvent) => 500 + 2 * (event.args.length + event.result.length);

/**
 * Splits events into batches. Each batch contains events of one key, in their order. The number of events and the size
 * of a batch are limited.
 */
function batchesOf(events: QueuedEvent[]): QueuedEvent[][] {
  const batches: QueuedEvent[][] = [];
  const current = new Map<string, { batch: QueuedEvent[]; bytes: number }>();
  for (const event of events) {
    const open = current.get(event.key);
    if (open && open.batch.length < MAX_EVENTS && open.bytes + estimateSize(event) <= MAX_BYTES) {
      open.batch.push(event);
      open.bytes += estimateSize(event);
    } else {
      const batch = [event];
      batches.push(batch);
      current.set(event.key, { batch, bytes: estimateSize(event) });
    }
  }
  return batches;
}

const MAX_WAITING = 1_000;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const DEADLINE_MS = 10_000;

/** Queue of events for one server. The number of events and their memory are limited. */
interface SendQueue {
  isEmpty(): boolean;
  /** Adds an event. If the queue is full, the event is dropped and counted. */
  push(makeEvent: () => QueuedEvent): void;
  /**
   * Sends the queued events. Resolves with true if events stay in the queue, because the server did not accept them.
   */
  flush(deadline?: AbortSignal): Promise<boolean>;
}

/** Creates an empty queue for the server at `url`. */
function createSendQueue(url: string): SendQueue {
  let events: QueuedEvent[] = [];
  let bytes = 0;
  let dropped = 0;
  return {
    isEmpty: () => events.length === 0,
    push(makeEvent) {
      if (events.length >= MAX_WAITING || bytes > MAX_WAITING_BYTES) {
        dropped += 1;
        return;
      }
      const event = makeEvent();
      events.push(event);
      bytes += estimateSize(event);
    },
    async flush(deadline) {
      const taken = events;
      events = [];
      bytes = 0;
      const undelivered: QueuedEvent[] = [];
      for (const batch of batchesOf(taken)) if (!(await deliver(url, batch, deadline))) undelivered.push(...batch);
      events = [...undelivered, ...events];
      bytes = events.reduce((sum, event) => sum + estimateSize(event), 0);
      if (dropped > 0) logWarning(`capture: the queue was full, ${dropped} calls were not recorded`);
      dropped = 0;
      return undelivered.length > 0;
    },
  };
}

/**
 * Sends a batch of events. Each event keeps its id, so the server stores no event twice if a batch is sent again.
 * @returns false if a retry makes sense: the server was unreachable or busy, or a rate limit was reached
 */
async function deliver(url: string, batch: QueuedEvent[], deadline?: AbortSignal): Promise<boolean> {
  const timeout = AbortSignal.timeout(DEADLINE_MS);
  const response = await fetch(`${url}/api/v1/capture-events`, {
    method: "POST",
    headers: { "x-api-key": batch[0]?.key ?? "", "content-type": "application/json" },
    body: JSON.stringify({ events: batch.map(({ event }) => event) }),
    // A redirect would send the key to another server.
    redirect: "manual",
    signal: deadline ? AbortSignal.any([deadline, timeout]) : timeout,
  }).catch(() => undefined);
  if (!response) return false;
  const answer = await parseJsonObjectBody(response);
  if (response.status === 429 || response.status >= 500) return false;
  if (!response.ok)
    logWarning(`capture: ${batch.length} calls refused: ${toStringOrUndefined(answer["error"]) ?? response.status}`);
  if (Number(answer["rejected"]) > 0)
    logWarning(`capture: ${Number(answer["rejected"])} of ${batch.length} calls rejected`);
  return true;
}

/** Tool call of this MCP server that is to be recorded. */
interface RecordedCall {
  key: string;
  sessionId: string;
  /** Event id of the turn that the call belongs to, if the client sent a turn. */
  turnId: string | undefined;
  tool: string;
  args: unknown;
  result: string;
  success: boolean;
  /** Start of the call in ms since 1970. `latency` is the duration of the call in ms. */
  timestamp: number;
  latency: number;
}

/** Records calls in the background: `record` never waits and never fails. */
export interface Recorder {
  record(call: RecordedCall): void;
  /** Sends the queued events until `deadline` aborts. */
  close(deadline: AbortSignal): Promise<void>;
}

const FLUSH_MS = 500;
const MAX_WAIT_MS = 30_000;
const MAX_CHARACTERS = 64 * 1024;

/**
 * Creates a recorder that sends calls to capture-events in batches. While the server accepts no events, the time
 * between two attempts grows.
 */
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
