import { isObject } from "../../formats/json.ts";
import { readOwn } from "../../formats/own.ts";
import { Failure } from "../failure.ts";

/** Required types of members, by the member's name. */
export type MemberTypes = Readonly<Record<string, "string" | "number" | "array" | "object">>;

/**
 * Returns the first member of a response with a wrong type. Returns an empty text if the response is no JSON object,
 * and undefined for a valid response.
 */
export function findMistypedMember(answer: unknown, shape: MemberTypes): string | undefined {
  if (!isObject(answer)) return "";
  return Object.entries(shape).find(([name, type]) => typeOf(readOwn(answer, name)) !== type)?.[0];
}

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
};

/** Creates the failure for a response that is not Trackway's, because another program uses the address. */
export function createForeignResponseFailure(address: string, status: number, misfit = ""): Failure {
  const where = misfit ? `: ${misfit} is missing or has another type` : "";
  return new Failure(`${address} responded with ${status}, and the response is not from Trackway${where}.`, {
    cure: ADDRESS_HINT,
  });
}

export const ADDRESS_HINT = "check TRACKWAY_URL: use the address of the server, not of the MCP server";

/** Members of an error response. Members with a wrong type are absent. */
export interface ErrorResponse {
  error: string | undefined;
  errors: readonly GraphqlError[];
  issues: readonly { path: string; message: string }[];
}

export interface GraphqlError {
  message: string;
  /** `missing`: the input refers to a row that does not exist; `path`: the issues of a circle of relations. */
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
 * Reads the errors of a GraphQL response. Returns an empty list if the member is missing, and undefined if the member is no
 * valid list of errors.
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
