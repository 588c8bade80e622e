import type { EventTree, SessionEvent } from "../events.ts";

/** The failure after or before the event that is chosen; from the last one on to the first. */
export function nextFailure(
  { failures, all, byId }: EventTree,
  selected: string | undefined,
  by: 1 | -1,
): SessionEvent | undefined {
  const from = selected ? byId.get(selected) : undefined;
  if (!from) return by > 0 ? failures[0] : failures.at(-1);
  const order = new Map(all.map((event, at) => [event, at]));
  const at = order.get(from) ?? 0;
  const ahead = by > 0 ? failures : failures.toReversed();
  return ahead.find((event) => ((order.get(event) ?? 0) - at) * by > 0) ?? ahead[0];
}
