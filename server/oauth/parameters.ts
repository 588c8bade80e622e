import type Koa from "koa";
import { AppError } from "../errors.ts";
import { readForm, readJson } from "../request-body.ts";
import { OAuthError } from "./failure.ts";

/** Parameters without duplicates. Empty parameters count as absent (RFC 6749). */
export type OAuthParameters = ReadonlyMap<string, string>;

/** @throws OAuthError invalid_request for a duplicate parameter, because two readers could use different values. */
export function parseOAuthParameters(text: string): OAuthParameters {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (parameters.has(name)) throw new OAuthError("invalid_request", `${name} comes twice.`);
    parameters.set(name, value);
  }
  for (const [name, value] of parameters) if (value === "") parameters.delete(name);
  return parameters;
}

/** @throws OAuthError invalid_request if the parameter is missing. */
export function requireParameter(parameters: OAuthParameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new OAuthError("invalid_request", `${name} is missing.`);
  return value;
}

/** Reads the parameters of a form. @throws AppError unsupported (415) or too_large (413); OAuthError. */
export const readFormParameters = async (ctx: Koa.Context): Promise<OAuthParameters> =>
  parseOAuthParameters(await inOAuth(readForm(ctx)));

/** Reads a JSON body. @throws AppError unsupported (415) or too_large (413); OAuthError. */
export const readOAuthJson = (ctx: Koa.Context): Promise<unknown> => inOAuth(readJson(ctx));

/** Converts an input error into an OAuth error. */
async function inOAuth<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof AppError && error.kind === "input") throw new OAuthError("invalid_request", error.message);
    throw error;
  }
}
