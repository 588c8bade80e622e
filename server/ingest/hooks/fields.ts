import { isObject } from "../../../formats/json.ts";
import type { ObservedText } from "../observe/observation.ts";

/** The object that an agent posted. Any member may be missing or of another type. */
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
