import { isObject } from "../../formats/json.ts";
import { defined } from "./observe/fold/facts.ts";
import type { ObservedText, Usage } from "./observe/observation.ts";

/** An object that an agent or an SDK sent. Any member may be missing or of another type. */
export type Payload = Readonly<Record<string, unknown>>;

/** A member that is a text; undefined when it is missing, empty or something else. */
export const textOf = (payload: Payload, key: string): string | undefined => {
  const value = payload[key];
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** A member that is a number. */
export const numberOf = (payload: Payload, key: string): number | undefined => {
  const value = payload[key];
  return typeof value === "number" ? value : undefined;
};

/** A member that is an object; an empty one when it is not. */
export const objectOf = (payload: Payload, key: string): Payload => {
  const value = payload[key];
  return isObject(value) ? value : {};
};

/** Members that are objects, of a list. */
export const objectsOf = (payload: Payload, key: string): Payload[] => {
  const value = payload[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
};

/** A member that is a time, as text or in ms; epoch ms. */
export function timeIn(payload: Payload, key = "timestamp"): number | undefined {
  const value = payload[key];
  const at = typeof value === "number" ? value : Date.parse(typeof value === "string" ? value : "");
  return Number.isFinite(at) ? at : undefined;
}

/** The usage of a request, by the agent's names for its counts; a dot leads into an object. */
export function usageIn(payload: Payload, names: Readonly<{ [Key in keyof Usage]: string }>): Usage {
  const counts = Object.entries(names).map(([count, name]) => {
    const path = name.split(".");
    const holder = path.slice(0, -1).reduce(objectOf, payload);
    return [count, numberOf(holder, path.at(-1) ?? "")];
  });
  return defined<Usage>(Object.fromEntries(counts));
}

/** A value as a text: itself, or its JSON. */
export const asText = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : typeof value === "string" ? value : JSON.stringify(value);

/** A value as a text that was sent whole, or that the agent has cut. */
export const whole = (value: unknown, truncated = false): ObservedText | undefined => {
  const text = asText(value);
  return text === undefined ? undefined : truncated ? { text, truncated } : { text };
};

const EXIT_CODE = /^(?:Process exited with code|Exit code:?)[ \t]+(-?\d+)/im;

/** Reports whether a shell's output says that its command failed. */
export const isFailedExit = (output: string | undefined): boolean => {
  const code = EXIT_CODE.exec(output ?? "")?.[1];
  return code !== undefined && Number(code) !== 0;
};
