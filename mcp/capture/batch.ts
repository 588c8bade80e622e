/** An event that waits to be sent, and the key it is sent with. */
export interface QueuedEvent {
  key: string;
  event: Record<string, unknown> & { args: string; result: string };
}

const MAX_EVENTS = 100;
const MAX_BYTES = 4 * 1024 * 1024;

/** About how much memory an event takes, bytes. */
export const sizeOf = ({ event }: QueuedEvent) => 500 + 2 * (event.args.length + event.result.length);

/** Events in the batches they are sent in: one key each, in order, bounded in number and size. */
export function batchesOf(events: QueuedEvent[]): QueuedEvent[][] {
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
