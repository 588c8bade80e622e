import { isObject } from "../../formats/json.ts";
import { readOwn } from "../../formats/own.ts";
import type { ObservedText, Usage } from "./observe/observation.ts";

/** An object that an agent or an SDK sent. Any member may be missing or of another type. */
export type Payload = Readonly<Record<string, unknown>>;

/** A member that is a text; undefined when it is missing, empty or something else. */
export const textOf = (payload: Payload, key: string): string | undefined => {
  const value = readOwn(payload, key);
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** A member that is a number. */
export const numberOf = (payload: Payload, key: string): number | undefined => {
  const value = readOwn(payload, key);
  return typeof value === "number" ? value : undefined;
};

/** A member that is an object; an empty one when it is not. */
export const objectOf = (payload: Payload, key: string): Payload => {
  const value = readOwn(payload, key);
  return isObject(value) ? value : {};
};

/** Members that are objects, of a list. */
export const objectsOf = (payload: Payload, key: string): Payload[] => {
  const value = readOwn(payload, key);
  return Array.isArray(value) ? value.filter(isObject) : [];
};

/** A member that is a time, as text or in ms; epoch ms. */
export function timeIn(payload: Payload, key = "timestamp"): number | undefined {
  const value = readOwn(payload, key);
  const at = typeof value === "number" ? value : Date.parse(typeof value === "string" ? value : "");
  return Number.isFinite(at) ? at : undefined;
}

/** Members by names of ours, where they are of the type that is read; a dot in the sender's name leads into an object. */
function membersIn<T>(
  payload: Payload,
  names: Readonly<Record<string, string>>,
  read: (holder: Payload, key: string) => T | undefined,
): Record<string, T> {
  const found: Record<string, T> = {};
  for (const [name, sent] of Object.entries(names)) {
    const path = sent.split(".");
    const value = read(path.slice(0, -1).reduce(objectOf, payload), path.at(-1) ?? "");
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** The usage of a request, by the agent's names for its counts. */
export const usageIn = (payload: Payload, names: Readonly<{ [Key in keyof Usage]: string }>): Usage =>
  membersIn(payload, names, numberOf);

/** Texts, by names of ours for the agent's. */
export const textsIn = (payload: Payload, names: Readonly<Record<string, string>>): Record<string, string> =>
  membersIn(payload, names, textOf);

/** Texts one below the other; undefined for none. */
export const joined = (texts: readonly string[]): string | undefined =>
  texts.length > 0 ? texts.join("\n") : undefined;

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
