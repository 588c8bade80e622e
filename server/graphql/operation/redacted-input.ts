import { redactorOf } from "../../accounts/redaction.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Redactor } from "../../redaction/index.ts";
import type { Scope } from "../../scope.ts";

/** Members of inputs that hold what somebody wrote. Names of people and secrets of webhooks are none. */
const WRITTEN = new Set(["title", "description", "body", "content", "name", "note", "comment", "reason"]);

/**
 * The input of a mutation without secrets in its texts, when a program writes: an agent with a key, MCP or the command
 * line. What a person writes in the web app stays as it is.
 */
export async function redactedInput<Input>(input: Input, { kind }: Principal, scope: Scope): Promise<Input> {
  if (kind === "token") return input;
  return redacted(input, await redactorOf(scope, scope.organizationId)) as Input;
}

/** Dates and the like are values, and inputs of GraphQL have no prototype. */
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));

function redacted(value: unknown, redactor: Redactor): unknown {
  if (Array.isArray(value)) return value.map((item) => redacted(item, redactor));
  if (!isPlain(value)) return value;
  const members = Object.entries(value).map(([name, member]) =>
    typeof member === "string" && WRITTEN.has(name)
      ? [name, redactor.text(member)]
      : [name, redacted(member, redactor)],
  );
  return Object.fromEntries(members);
}
