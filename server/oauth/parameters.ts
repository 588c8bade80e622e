import type Koa from "koa";
import { AppError } from "../errors.ts";
import { readText, SMALL_BODY } from "../request-body.ts";
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
export async function readForm(ctx: Koa.Context): Promise<Parameters> {
  if (!ctx.is("application/x-www-form-urlencoded")) {
    throw new AppError("unsupported", "Send a form, with Content-Type: application/x-www-form-urlencoded.");
  }
  return parametersOf(await textOf(ctx));
}

/** The object that a JSON body is. @throws AppError unsupported (415) or too_large (413); OAuthError. */
export async function readJson(ctx: Koa.Context): Promise<unknown> {
  if (!ctx.is("application/json", "application/*+json")) {
    throw new AppError("unsupported", "Send JSON, with Content-Type: application/json.");
  }
  try {
    return JSON.parse(await textOf(ctx));
  } catch (error) {
    if (error instanceof SyntaxError) throw new OAuthError("invalid_request", "The body is not valid JSON.");
    throw error;
  }
}

async function textOf(ctx: Koa.Context): Promise<string> {
  const encoding = ctx.get("Content-Encoding");
  if (encoding && encoding !== "identity") throw new AppError("unsupported", "Send the body uncompressed.");
  try {
    return await readText(ctx.req, SMALL_BODY);
  } catch (error) {
    if (error instanceof AppError && error.kind === "input") throw new OAuthError("invalid_request", error.message);
    throw error;
  }
}
