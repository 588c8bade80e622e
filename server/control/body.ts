import type Koa from "koa";
import type { z } from "zod";
import { invalidInput } from "../errors.ts";
import { readJson } from "../request-body.ts";

/** Reads the JSON body of a request. A request without one counts as `{}`, so that the check names the missing fields. */
export const readInput = async (ctx: Koa.Context): Promise<unknown> =>
  ctx.get("Transfer-Encoding") || ctx.request.length ? readJson(ctx) : {};

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
