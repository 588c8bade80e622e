import { defined } from "../observe/facts.ts";
import type { Observation } from "../observe/observation.ts";
import type { Payload } from "./fields.ts";

/** What a hook's event tells, beside what all of its agent's hooks tell. */
export type Fields = { [Key in keyof Observation]?: Observation[Key] | undefined };

/** What an agent's hooks tell, by the name of their event. Adding an event is a line. */
export interface AgentHooks {
  source: string;
  /** What each payload of the agent tells, whatever its event. `now`: when it arrived, epoch ms. */
  common(payload: Payload, now: number): Fields;
  /** Events that are not named tell of the session alone. */
  events: Readonly<Record<string, (payload: Payload, now: number) => Fields | readonly Fields[]>>;
}

/** The observations of a payload. */
export function observe({ source, common, events }: AgentHooks, payload: Payload, now: number): Observation[] {
  const name = payload["hook_event_name"];
  const read = typeof name === "string" && Object.hasOwn(events, name) ? events[name] : undefined;
  const fields = read?.(payload, now) ?? {};
  const shared = { source, isHook: true, ...withoutUndefined(common(payload, now)) };
  return [fields].flat().map((each: Fields) => ({ ...shared, ...withoutUndefined(each) }));
}

const withoutUndefined = (fields: Fields): Partial<Observation> => defined<Partial<Observation>>(fields);
