import { isObject } from "../../formats/json.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { CommandFailure } from "../failure.ts";

/**
 * Required types of properties of a response, by the property's name. Properties that are not listed are not checked.
 */
export type MemberTypes = Readonly<Record<string, "string" | "number" | "array" | "object">>;

/**
 * Returns the name of the first property of a response that has a wrong type. Returns an empty string if the response
 * is not a JSON object. Returns undefined if the response is valid.
 */
export function findMistypedMember(answer: unknown, shape: MemberTypes): string | undefined {
  if (!isObject(answer)) return "";
  return Object.entries(shape).find(([name, type]) => typeOf(getOwnProperty(answer, name)) !== type)?.[0];
}

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
};

/**
 * Creates the failure for a response that did not come from Trackway. The usual reason is that another program listens
 * at the address.
 */
export function createNonTrackwayResponseFailure(address: string, status: number, misfit = ""): CommandFailure {
  const where = misfit ? `: ${misfit} is missing or has another type` : "";
  return new CommandFailure(`${address} responded with ${status}, and the response is not from Trackway${where}.`, {
    cure: ADDRESS_HINT,
  });
}

export const ADDRESS_HINT = "check TRACKWAY_URL: use the address of the server, not of the MCP server";

/** The properties of an error response. A property that has a wrong type in the response is omitted. */
export interface ErrorResponse {
  error: string | undefined;
  errors: readonly GraphqlError[];
  issues: readonly { path: string; message: string }[];
}

export interface GraphqlError {
  message: string;
  /**
   * `missing` is true if the input refers to a row that does not exist. `path` lists the issues of a circle of
   * relations, for example issues that block each other.
   */
  extensions: { code?: string; missing?: boolean; path?: readonly string[] };
}

export function readErrorResponse(answer: unknown): ErrorResponse {
  const { error, errors, issues } = isObject(answer) ? answer : {};
  const fields = (Array.isArray(issues) ? issues : []).filter(isObject).map(({ path, message }) => ({
    path: textOr(path, ""),
    message: textOr(message, ""),
  }));
  return {
    error: typeof error === "string" && error !== "" ? error : undefined,
    errors: readGraphqlErrors(errors) ?? [],
    issues: fields.filter(({ message }) => message !== ""),
  };
}

const textOr = (value: unknown, other: string): string => (typeof value === "string" ? value : other);

/**
 * Reads the errors of a GraphQL response. Returns an empty list if the response has no `errors` property. Returns
 * undefined if the property is not a valid list of errors.
 */
export function readGraphqlErrors(errors: unknown): GraphqlError[] | undefined {
  if (errors === undefined) return [];
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const read = errors.flatMap((each: unknown) => {
    if (!isObject(each) || typeof each["message"] !== "string") return [];
    const { code, missing, path } = isObject(each["extensions"]) ? each["extensions"] : {};
    const extensions = {
      ...(typeof code === "string" && { code }),
      ...(missing === true && { missing }),
      ...(Array.isArray(path) && { path: path.map(String) }),
    };
    return [{ message: each["message"], extensions }];
  });
  return read.length === errors.length ? read : undefined;
}
