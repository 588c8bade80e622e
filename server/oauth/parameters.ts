import type Koa from "koa";
import { AppError } from "../errors.ts";
import { readForm, readJson } from "../request-body.ts";
import { OAuthError } from "./failure.ts";

/** Parameters, each at most once; empty ones count as absent, as RFC 6749 has it. */
export type Parameters = ReadonlyMap<string, string>;

/** @throws OAuthError invalid_request for a parameter that comes twice: two readers might take one each. */
export function parametersOf(text: string): Parameters {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (parameters.has(name)) throw new OAuthError("invalid_request", `${name} comes twice.`);
    parameters.set(name, value);
  }
  for (const [name, value] of parameters) if (value === "") parameters.delete(name);
  return parameters;
}

/** @throws OAuthError invalid_request when it is missing. */
export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new OAuthError("invalid_request", `${name} is missing.`);
  return value;
}

/** The parameters of a form. @throws AppError unsupported (415) or too_large (413); OAuthError. */
export const formOf = async (ctx: Koa.Context): Promise<Parameters> => parametersOf(await inOAuth(readForm(ctx)));

/** The object that a JSON body is. @throws AppError unsupported (415) or too_large (413); OAuthError. */
export const jsonOf = (ctx: Koa.Context): Promise<unknown> => inOAuth(readJson(ctx));

/** Refuses a body in the words of OAuth. */
async function inOAuth<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof AppError && error.kind === "input") throw new OAuthError("invalid_request", error.message);
    throw error;
  }
}
