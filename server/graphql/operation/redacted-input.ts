import type { Redactor } from "../../../redaction/index.ts";
import { getScanner } from "../../accounts/switches.ts";
import { computeScanCost } from "../../scans/index.ts";
import type { Scope } from "../../scope.ts";
import type { GraphQLRequest } from "../request.ts";

/**
 * Input fields, and fields of imported rows, that contain user-written text or refer to a row by such text. Ids,
 * addresses, webhook secrets and values of closed lists are not included.
 */
export const USER_TEXT_FIELDS: ReadonlySet<string> = new Set([
  ...["title", "description", "body", "content", "name", "comment", "icon", "label", "reason"],
  ...["labels", "group", "state", "defaultState", "commands", "proofCommands"],
  // Names that identify recordings and rows. A client may send any text in these fields.
  ...["agent", "model", "tool", "externalId", "externalIds"],
]);

/**
 * Redacts secrets in a mutation's input if a program sends the mutation: an agent with a key, MCP or the command line.
 * No other place needs to redact such input, because the control plane accepts no keys and ingestion has its own rules.
 * Text that a user writes in the web app stays unchanged.
 */
export async function redactInput<Input>(input: Input, scope: Scope, { principal, meter }: Writer): Promise<Input> {
  if (principal.kind === "token") return input;
  return scanned(scope, meter, (redactor) => redacted(input, redactor) as Input);
}

/**
 * Returns true if a text outside a mutation's input contains a secret. The check applies to text of users and of
 * programs.
 */
export const containsSecret = async (text: string, scope: Scope, { meter }: Pick<Writer, "meter">): Promise<boolean> =>
  (await scanned(scope, meter, (redactor) => redactor.text(text))) !== text;

/** Runs work with the organization's redactor, and charges the caller for the work. */
async function scanned<T>(scope: Scope, meter: Writer["meter"], work: (redactor: Redactor) => T): Promise<T> {
  const scan = (await getScanner(scope, scope.organizationId)).patient();
  const kept = await scan.run(work);
  await meter.chargeMore(computeScanCost(scan.steps(), 0));
  return kept;
}

/** The caller, and the meter that is charged for scanning text. */
type Writer = Pick<GraphQLRequest, "principal" | "meter">;

/** Returns true for input objects and false for values such as dates. Input objects of GraphQL have no prototype. */
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));

function redacted(value: unknown, redactor: Redactor, isWritten = false): unknown {
  if (typeof value === "string") return isWritten ? redactor.text(value) : value;
  if (Array.isArray(value)) return value.map((item) => redacted(item, redactor, isWritten));
  if (!isPlain(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    redacted(member, redactor, USER_TEXT_FIELDS.has(name)),
  ]);
  return Object.fromEntries(members);
}
