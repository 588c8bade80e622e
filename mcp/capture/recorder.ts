import { uuidv7 } from "uuidv7";
import { logWarning } from "../log.ts";

/** An event that waits to be sent, and the key it is sent with. */
interface QueuedEvent {
  key: string;
  event: Record<string, unknown> & { args: string; result: string };
}

const MAX_EVENTS = 100;
const MAX_BYTES = 4 * 1024 * 1024;

/** About how much memory an event takes, bytes. */
const sizeOf = ({ event }: QueuedEvent) => 500 + 2 * (event.args.length + event.result.length);

/** Events in the batches they are sent in: one key each, in order, bounded in number and size. */
function batchesOf(events: QueuedEvent[]): QueuedEvent[][] {
  const batches: QueuedEvent[][] = [];
  const current = new Map<string, { batch: QueuedEvent[]; bytes: number }>();
  for (const event of events) {
    const open = current.get(event.key);
    if (open && open.batch.length < MAX_EVENTS && open.bytes + sizeOf(event) <= MAX_BYTES) {
      open.batch.push(event);
      open.bytes += sizeOf(event);
    } else {
      const batch = [event];
      batches.push(batch);
      current.set(event.key, { batch, bytes: sizeOf(event) });
    }
  }
  return batches;
}

const MAX_WAITING = 1_000;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const DEADLINE_MS = 10_000;

/** Events that wait to be sent to the Trackway at one address, bounded in number and memory. */
interface SendQueue {
  isEmpty(): boolean;
  /** Adds an event, or counts it as dropped when the queue is full. */
  push(makeEvent: () => QueuedEvent): void;
  /** Sends what waits; what could not be delivered now stays, in order. Answers whether something stayed. */
  flush(deadline?: AbortSignal): Promise<boolean>;
}

/** An empty queue for the Trackway at `url`. */
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
      bytes += sizeOf(event);
    },
    async flush(deadline) {
      const taken = events;
      events = [];
      bytes = 0;
      const undelivered: QueuedEvent[] = [];
      for (const batch of batchesOf(taken)) if (!(await deliver(url, batch, deadline))) undelivered.push(...batch);
      events = [...undelivered, ...events];
      bytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
      if (dropped > 0) logWarning(`capture: the queue was full, ${dropped} calls were not recorded`);
      dropped = 0;
      return undelivered.length > 0;
    },
  };
}

/**
 * Sends one batch. Events keep their ids, so sending again after a lost answer stores nothing twice.
 * @returns false when it is worth sending again: Trackway was out of reach, busy, or over its limit.
 */
async function deliver(url: string, batch: QueuedEvent[], deadline?: AbortSignal): Promise<boolean> {
  const timeout = AbortSignal.timeout(DEADLINE_MS);
  const response = await fetch(`${url}/api/v1/capture-events`, {
    method: "POST",
    headers: { "x-api-key": batch[0]?.key ?? "", "content-type": "application/json" },
    body: JSON.stringify({ events: batch.map(({ event }) => event) }),
    signal: deadline ? AbortSignal.any([deadline, timeout]) : timeout,
  }).catch(() => undefined);
  if (!response) return false;
  const answer = (await response.json().catch(() => ({}))) as { rejected?: number; error?: string };
  if (response.status === 429 || response.status >= 500) return false;
  if (!response.ok) logWarning(`capture: ${batch.length} calls refused: ${answer.error ?? response.status}`);
  if (answer.rejected) logWarning(`capture: ${answer.rejected} of ${batch.length} calls rejected`);
  return true;
}

/** A call of a tool of this server, to be recorded. */
interface RecordedCall {
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
