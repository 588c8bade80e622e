import { isObject } from "../../formats/json.ts";
import { getOwnProperty } from "../../formats/own.ts";
import type { ObservedText, ReportedUsage } from "./observation.ts";

/** Object that an agent or SDK sent. Any member may be absent or of an unexpected type. */
export type Payload = Readonly<Record<string, unknown>>;

/** Reads a string member; undefined if the member is absent, empty or not a string. */
export const readString = (payload: Payload, key: string): string | undefined => {
  const value = getOwnProperty(payload, key);
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Reads a number member; undefined if the member is absent or not a number. */
export const readNumber = (payload: Payload, key: string): number | undefined => {
  const value = getOwnProperty(payload, key);
  return typeof value === "number" ? value : undefined;
};

/** Reads an object member; an empty object if the member is absent or not an object. */
export const readObject = (payload: Payload, key: string): Payload => {
  const value = getOwnProperty(payload, key);
  return isObject(value) ? value : {};
};

/** Reads the objects of an array member; other elements are ignored. */
export const readObjects = (payload: Payload, key: string): Payload[] => {
  const value = getOwnProperty(payload, key);
  return Array.isArray(value) ? value.filter(isObject) : [];
};

/** Reads a time that is given as text or in milliseconds. Returns epoch ms. */
export function readTime(payload: Payload, key = "timestamp"): number | undefined {
  const value = getOwnProperty(payload, key);
  const at = typeof value === "number" ? value : Date.parse(typeof value === "string" ? value : "");
  return Number.isFinite(at) ? at : undefined;
}

/**
 * Reads several members of a payload. The keys of `names` are Trackway's names, and the values are the sender's names.
 * A dot in a sender's name leads into a nested object. Members of another type are skipped.
 */
function membersIn<T>(
  payload: Payload,
  names: Readonly<Record<string, string>>,
  read: (holder: Payload, key: string) => T | undefined,
): Record<string, T> {
  const found: Record<string, T> = {};
  for (const [name, sent] of Object.entries(names)) {
    const path = sent.split(".");
    const value = read(path.slice(0, -1).reduce(readObject, payload), path.at(-1) ?? "");
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** Reads token counts and cost. `names` contains the agent's name for each value. */
export const readUsage = (payload: Payload, names: Readonly<{ [Key in keyof ReportedUsage]: string }>): ReportedUsage =>
  membersIn(payload, names, readNumber);

/** Reads string members. The keys of `names` are Trackway's names; the values are the agent's names. */
export const readTexts = (payload: Payload, names: Readonly<Record<string, string>>): Record<string, string> =>
  membersIn(payload, names, readString);

/** Joins texts with line breaks; undefined for an empty list. */
export const joinTexts = (texts: readonly string[]): string | undefined =>
  texts.length > 0 ? texts.join("\n") : undefined;

/** Converts a value to text: strings unchanged, other values as JSON. */
export const toText = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : typeof value === "string" ? value : JSON.stringify(value);

/** Converts a value to text and marks the text as complete, or as truncated by the agent. */
export const toObservedText = (value: unknown, truncated = false): ObservedText | undefined => {
  const text = toText(value);
  return text === undefined ? undefined : truncated ? { text, truncated } : { text };
};

const EXIT_CODE = /^(?:Process exited with code|Exit code:?)[ \t]+(-?\d+)/im;

/** Returns true if a shell's output reports that the command failed. */
export const hasFailedExitCode = (output: string | undefined): boolean => {
  const code = EXIT_CODE.exec(output ?? "")?.[1];
  return code !== undefined && Number(code) !== 0;
};

/** Removes undefined members, so that equal values compare as equal. */
export function withoutUndefined<T extends object>(object: { [Key in keyof T]?: T[Key] | undefined }): T {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as T;
}

/** Removes the quotes of a text that consists of one JSON string. Some programs quote the typed prompt. */
export function unquoteText(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
