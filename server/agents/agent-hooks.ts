import { readOwn } from "../../formats/own.ts";
import type { Payload } from "./fields.ts";
import { withoutUndefined } from "./fields.ts";
import type { Observation } from "./observation.ts";

/** Members of an observation that one hook event provides, beyond the members common to all hooks of the agent. */
export type PartialObservation = { [Key in keyof Observation]?: Observation[Key] | undefined };

/** Mapping from an agent's hook events to observations. Each event is one line of the table. */
export interface AgentHooks {
  source: string;
  /** Payload member that names the session. Default `session_id`. */
  sessionKey?: string;
  /** Reads the members that every payload of the agent provides. `now` is the arrival, epoch ms. */
  common(payload: Payload, now: number): PartialObservation;
  /** Readers by event name. An event without a reader becomes an observation of the session only. */
  events: Readonly<
    Record<string, (payload: Payload, now: number) => PartialObservation | readonly PartialObservation[]>
  >;
}

export function observeHookEvent({ source, common, events }: AgentHooks, payload: Payload, now: number): Observation[] {
  const name = payload["hook_event_name"];
  const read = typeof name === "string" ? readOwn(events, name) : undefined;
  const own = read?.(payload, now) ?? {};
  const shared = { source, isHook: true, ...withoutUndefined<Partial<Observation>>(common(payload, now)) };
  return [own]
    .flat()
    .map((each: PartialObservation) => ({ ...shared, ...withoutUndefined<Partial<Observation>>(each) }));
}

/** Decision to stop, as most agents' hooks read it. */
export const stopTurn = (stopReason: string): object => ({ continue: false, stopReason });
