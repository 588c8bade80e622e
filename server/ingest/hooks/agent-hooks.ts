import { readOwn } from "../../../formats/own.ts";
import type { Payload } from "../fields.ts";
import { defined } from "../observe/fold/facts.ts";
import type { Observation } from "../observe/observation.ts";

/** The part of an observation that one event of a hook fills, beside the part that all hooks of its agent share. */
export type PartialObservation = { [Key in keyof Observation]?: Observation[Key] | undefined };

/** The observations of an agent's hooks, by the name of their event. Adding an event is a line. */
export interface AgentHooks {
  source: string;
  /** The member of a payload that names the session: `session_id` unless given. */
  sessionKey?: string;
  /** The part that every payload of the agent fills, whatever its event. `now` is its arrival, epoch ms. */
  common(payload: Payload, now: number): PartialObservation;
  /** An event that is not named here is an observation of the session alone. */
  events: Readonly<
    Record<string, (payload: Payload, now: number) => PartialObservation | readonly PartialObservation[]>
  >;
}

/** The observations of a payload. */
export function observe({ source, common, events }: AgentHooks, payload: Payload, now: number): Observation[] {
  const name = payload["hook_event_name"];
  const read = typeof name === "string" ? readOwn(events, name) : undefined;
  const own = read?.(payload, now) ?? {};
  const shared = { source, isHook: true, ...defined<Partial<Observation>>(common(payload, now)) };
  return [own].flat().map((each: PartialObservation) => ({ ...shared, ...defined<Partial<Observation>>(each) }));
}
