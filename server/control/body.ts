import type Koa from "koa";
import type { z } from "zod";
import { AppError, invalidInput } from "../errors.ts";
import { readText, SMALL_BODY } from "../request-body.ts";

/**
 * Reads the JSON body of a request. A request without one counts as `{}`, so that the check names the missing fields.
 * @throws unsupported (415) for other types and for compressed bodies, which nothing this small needs; too_large (413);
 * input `invalid_json` (400).
 */
export async function readJson(ctx: Koa.Context): Promise<unknown> {
  const encoding = ctx.get("Content-Encoding");
  if (encoding && encoding !== "identity") {
    throw new AppError("unsupported", "Send the body uncompressed.", { headers: { "Accept-Encoding": "identity" } });
  }
  if (!ctx.get("Transfer-Encoding") && !ctx.request.length) return {};
  if (!ctx.is("application/json", "application/*+json")) {
    throw new AppError("unsupported", "Send JSON, with Content-Type: application/json.");
  }
  return parsed(await readText(ctx.req, SMALL_BODY));
}

function parsed(text: string): object {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Refused below, as a value that is no object is.
  }
  throw new AppError("input", "The body is not valid JSON.", { tag: "invalid_json" });
}

/**
 * Checks a value against a schema.
 * @throws invalidInput (400) with every field at fault.
 */
export function check<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidInput(
    result.error.issues.flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => ({ path: [...issue.path, key].join("."), message: "unknown field" }))
        : [{ path: issue.path.join("."), message: issue.message }],
    ),
  );
}
