import type { Redactor } from "../../../redaction/index.ts";
import { scannerOf } from "../../accounts/switches.ts";
import { costOfSteps } from "../../scans/index.ts";
import type { Scope } from "../../scope.ts";
import type { GraphQLRequest } from "../request.ts";

/**
 * Members of inputs, and of rows that are imported, that hold what somebody wrote, or name it. Ids, addresses, secrets of
 * webhooks and words of fixed lists are none.
 */
export const WRITTEN: ReadonlySet<string> = new Set([
  ...["title", "description", "body", "content", "name", "comment", "icon", "label", "reason"],
  ...["labels", "group", "state", "defaultState", "commands", "proofCommands"],
  // Names by which recordings and rows are found: a client may put anything there.
  ...["agent", "model", "tool", "externalId", "externalIds"],
]);

/**
 * The input of a mutation without secrets in its texts, when a program writes: an agent with a key, MCP or the command
 * line. It is the one place that sees to this: the control plane takes no keys, and ingestion has its own rules. Texts
 * of a person in the web app stay as they are.
 */
export async function redactedInput<Input>(input: Input, scope: Scope, { principal, meter }: Writer): Promise<Input> {
  if (principal.kind === "token") return input;
  return scanned(scope, meter, (redactor) => redacted(input, redactor) as Input);
}

/** Tells whether a text that is no member of an input holds a secret, whoever sent it. */
export const holdsSecret = async (text: string, scope: Scope, { meter }: Pick<Writer, "meter">): Promise<boolean> =>
  (await scanned(scope, meter, (redactor) => redactor.text(text))) !== text;

/** Runs work with the organization's redactor, which the caller pays for. */
async function scanned<T>(scope: Scope, meter: Writer["meter"], work: (redactor: Redactor) => T): Promise<T> {
  const scan = (await scannerOf(scope, scope.organizationId)).patient();
  const kept = await scan.run(work);
  await meter.chargeMore(costOfSteps(scan.steps(), 0));
  return kept;
}

/** The caller who writes, and the meter that pays for the search in the text. */
type Writer = Pick<GraphQLRequest, "principal" | "meter">;

/** Dates and the like are values, and inputs of GraphQL have no prototype. */
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));

function redacted(value: unknown, redactor: Redactor, isWritten = false): unknown {
  if (typeof value === "string") return isWritten ? redactor.text(value) : value;
  if (Array.isArray(value)) return value.map((item) => redacted(item, redactor, isWritten));
  if (!isPlain(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, redacted(member, redactor, WRITTEN.has(name))]);
  return Object.fromEntries(members);
}
