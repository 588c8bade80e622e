import type Koa from "koa";
import { koaBody } from "koa-body";
import type { z } from "zod";
import { AppError, inputError, invalidInput } from "../errors.ts";

/** No request of the control plane is larger. */
const MAX_BYTES = 64 * 1024;

const parse = koaBody({
  text: false,
  urlencoded: false,
  multipart: false,
  jsonTypes: ["application/json", "application/*+json"],
  jsonLimit: MAX_BYTES,
  onError: (error) => {
    throw refusal(error);
  },
});

/**
 * Reads the JSON body of a request. A request without one counts as `{}`, so that the check names the missing fields.
 * @throws unsupported (415) for other types and for compressed bodies, which nothing this small needs; too_large (413);
 * input `invalid_json` (400).
 */
export async function readBody(ctx: Koa.Context): Promise<unknown> {
  const encoding = ctx.get("Content-Encoding");
  if (encoding && encoding !== "identity") {
    throw new AppError("unsupported", "Send the body uncompressed.", { headers: { "Accept-Encoding": "identity" } });
  }
  if (!ctx.get("Transfer-Encoding") && !ctx.request.length) return {};
  if (!ctx.is("application/json", "application/*+json")) {
    throw new AppError("unsupported", "Send JSON, with Content-Type: application/json.");
  }
  await parse(ctx, async () => {});
  return (ctx.request as { body?: unknown }).body ?? {};
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

function refusal(error: Error & { status?: number; type?: string }): Error {
  if (error.status === 413) {
    return new AppError("too_large", `The body may have ${MAX_BYTES} bytes.`, { limit: MAX_BYTES });
  }
  if (error.status === 400) return new AppError("input", "The body is not valid JSON.", { tag: "invalid_json" });
  return inputError("The body could not be read.");
}
