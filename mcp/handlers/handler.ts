import type { z } from "zod";
import { ProtocolError } from "../errors.ts";

/**
 * The parameters of a method, checked.
 * @throws ProtocolError invalid params, naming the first bad one.
 */
export function checkedParams<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ProtocolError(-32602, `Invalid params: ${issue?.path.join(".") || "params"}: ${issue?.message}`);
}
