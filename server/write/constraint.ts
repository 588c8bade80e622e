import { constraintOf, isForeignKeyViolation } from "../../db/errors/sqlstate.ts";
import { AppError, conflict, inputError } from "../errors.ts";

/** The driver's error of a broken constraint. */
interface Broken extends Error {
  code: string;
}

/** The names of unique constraints end with the field they keep unique; those of links hold the field before `fkey`. */
const UNIQUE_FIELDS: Record<string, string> = { number: "number", key: "key", url: "urlKey" };

/**
 * Translates a statement's failure for the caller: a value in use already, a reference that leads nowhere or is still
 * needed, a value out of range. Rules check before they write; this is for what changed in between. Anything else is
 * handed back as it is.
 */
export function toAppError(error: unknown): unknown {
  if (!isBroken(error) || error instanceof AppError) return error;
  const constraint = constraintOf(error);
  if (error.code === "23505") {
    const field = constraint.endsWith("_pkey") ? "id" : (UNIQUE_FIELDS[constraint.split("_").at(-2) ?? ""] ?? "id");
    return conflict(`${field} is in use already; choose another`, undefined, field);
  }
  if (isForeignKeyViolation(error)) {
    const field = /_organizationId_(\w+)_fkey/.exec(constraint)?.[1];
    if (error.message.startsWith("update or delete")) return conflict("it is still in use elsewhere", "in_use");
    return inputError(`${field ?? "a reference"} leads to something that is no longer there`, field);
  }
  if (error.code.startsWith("22")) return inputError("a value is out of range");
  return error;
}

const isBroken = (error: unknown): error is Broken => error instanceof Error && "code" in error;
