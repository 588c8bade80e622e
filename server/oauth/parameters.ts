import type Koa from "koa";
import rawBody from "raw-body";
import { AppError } from "../errors.ts";
import { OAuthError } from "./failure.ts";

/** No request of OAuth is larger. */
const MAX_BYTES = 64 * 1024;

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
  return parametersOf(await readText(ctx));
}

/** The object that a JSON body is. @throws AppError unsupported (415) or too_large (413); OAuthError. */
export async function readJson(ctx: Koa.Context): Promise<unknown> {
  if (!ctx.is("application/json", "application/*+json")) {
    throw new AppError("unsupported", "Send JSON, with Content-Type: application/json.");
  }
  try {
    return JSON.parse(await readText(ctx));
  } catch (error) {
    if (error instanceof SyntaxError) throw new OAuthError("invalid_request", "The body is not valid JSON.");
    throw error;
  }
}

async function readText(ctx: Koa.Context): Promise<string> {
  const encoding = ctx.get("Content-Encoding");
  if (encoding && encoding !== "identity") throw new AppError("unsupported", "Send the body uncompressed.");
  try {
    return await rawBody(ctx.req, { limit: MAX_BYTES, encoding: "utf8" });
  } catch (error) {
    if ((error as { status?: number }).status === 413) {
      throw new AppError("too_large", `The body may have ${MAX_BYTES} bytes.`, { limit: MAX_BYTES });
    }
    throw new OAuthError("invalid_request", "The body could not be read.");
  }
}
