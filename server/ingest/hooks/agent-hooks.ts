import { defined } from "../observe/facts.ts";
import type { Observation } from "../observe/observation.ts";
import type { Payload } from "./fields.ts";

/** What a hook's event tells, beside what all of its agent's hooks tell. */
export type Told = { [Key in keyof Observation]?: Observation[Key] | undefined };

/** What an agent's hooks tell, by the name of their event. Adding an event is a line. */
export interface AgentHooks {
  source: string;
  /** What each payload of the agent tells, whatever its event. `now`: when it arrived, epoch ms. */
  common(payload: Payload, now: number): Told;
  /** Events that are not named tell of the session alone. */
  events: Readonly<Record<string, (payload: Payload, now: number) => Told | readonly Told[]>>;
}

/** The observations of a payload. */
export function observe({ source, common, events }: AgentHooks, payload: Payload, now: number): Observation[] {
  const name = payload["hook_event_name"];
  const read = typeof name === "string" && Object.hasOwn(events, name) ? events[name] : undefined;
  const told = read?.(payload, now) ?? {};
  const shared = { source, isHook: true, ...withoutUndefined(common(payload, now)) };
  return [told].flat().map((each: Told) => ({ ...shared, ...withoutUndefined(each) }));
}

const withoutUndefined = (told: Told): Partial<Observation> => defined<Partial<Observation>>(told);
