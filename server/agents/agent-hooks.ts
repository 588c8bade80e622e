import { getOwnProperty } from "../../formats/own.ts";
import type { Payload } from "./fields.ts";
import { withoutUndefined } from "./fields.ts";
import type { Observation } from "./observation.ts";

/**
 * Part of an observation. A hook event provides some members; the members that all hooks of the agent provide are
 * added.
 */
export type PartialObservation = { [Key in keyof Observation]?: Observation[Key] | undefined };

/** Table that maps an agent's hook events to observations. Each event is one entry of the table. */
export interface AgentHooks {
  source: string;
  /** Payload member that names the session. Default `session_id`. */
  sessionKey?: string;
  /** Reads the members that every payload of the agent provides. `now` is the arrival time in epoch ms. */
  common(payload: Payload, now: number): PartialObservation;
  /**
   * Functions that read events, by event name. An event without a function becomes an observation that has only the
   * members from `common`.
   */
  events: Readonly<
    Record<string, (payload: Payload, now: number) => PartialObservation | readonly PartialObservation[]>
  >;
}

export function observeHookEvent({ source, common, events }: AgentHooks, payload: Payload, now: number): Observation[] {
  const name = payload["hook_event_name"];
  const read = typeof name === "string" ? getOwnProperty(events, name) : undefined;
  const own = read?.(payload, now) ?? {};
  const shared = { source, isHook: true, ...withoutUndefined<Partial<Observation>>(common(payload, now)) };
  return [own]
    .flat()
    .map((each: PartialObservation) => ({ ...shared, ...withoutUndefined<Partial<Observation>>(each) }));
}

/** Decision to stop, as most agents' hooks read it. */
export const stopTurn = (stopReason: string): object => ({ continue: false, stopReason });
