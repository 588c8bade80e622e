import { z } from "zod";
import { getOwnProperty } from "../../formats/own.ts";
import { ToolError } from "../errors.ts";
import type { Tool } from "../registry/define-tool.ts";

/**
 * Checks the arguments of a call against the tool's input schema.
 * @throws ToolError that names the first invalid or unknown argument and the arguments of the tool
 */
export function parseArguments(tool: Tool, args: unknown): unknown {
  const given = normalized(tool.inputSchema, args ?? {});
  const parsed = tool.inputSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ToolError(issue ? argumentError(tool, issue, given) : `The arguments of ${tool.name} are not understood.`);
}

/**
 * Removes null members at every depth, because models with strict function calling send null for absent arguments.
 * Unknown members stay, so that the schema reports an error. Upper and lower case do not matter in enum values.
 */
function normalized(schema: unknown, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return normalized(schema.unwrap(), value);
  if (schema instanceof z.ZodEnum && typeof value === "string") {
    return schema.options.find((option) => String(option).toLowerCase() === value.toLowerCase()) ?? value;
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => normalized(schema.element, item));
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return value;
  const { shape } = schema;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => member !== null || !Object.hasOwn(shape, key))
      .map(([key, member]) => [
        key,
        Object.hasOwn(shape, key) ? normalized(getOwnProperty(shape, key), member) : member,
      ]),
  );
}

function argumentError(tool: Tool, issue: z.core.$ZodIssue, args: unknown): string {
  const known = Object.keys(tool.inputSchema.shape).join(", ") || "no arguments";
  const path = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const where = path ? ` in ${path}` : "";
    const takes = path ? "" : ` ${tool.name} takes: ${known}.`;
    return `Unknown argument ${issue.keys.map((key) => `"${key}"`).join(", ")}${where}.${takes}`;
  }
  if (issue.code === "invalid_value") {
    return `${path}: must be one of ${issue.values.join(", ")}. Correct the input and call again.`;
  }
  if (issue.code === "invalid_type" && valueAt(args, issue.path) === undefined) {
    return `${path} is required.${issue.path.length > 1 ? " Add it and call again." : ` ${tool.name} takes: ${known}.`}`;
  }
  return `${path || "The arguments"}: ${fault(issue)}. Correct the input and call again.`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};
const UNITS: Readonly<Record<string, string>> = { string: " characters", array: " entries" };

/** Returns what is wrong with an argument, worded as part of a sentence. The messages of zod do not form sentences. */
function fault(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `must be ${KINDS[issue.expected] ?? issue.expected}`;
  if (issue.code === "too_small" && issue.minimum === 1 && UNITS[issue.origin]) return "must not be empty";
  if (issue.code === "too_small") return `must be at least ${issue.minimum}${UNITS[issue.origin] ?? ""}`;
  if (issue.code === "too_big") return `must be at most ${issue.maximum}${UNITS[issue.origin] ?? ""}`;
  return issue.message;
}

function valueAt(args: unknown, path: PropertyKey[]): unknown {
  return path.reduce((value, key) => getOwnProperty(value as Record<string, unknown> | undefined, String(key)), args);
}

/**
 * Names of tool parameters that differ from the API's names for fields and arguments. The keys are the API's names. If
 * several parameters are listed, the first one that the tool has applies.
 */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  id: ["issue", "session_id", "event_id"],
  parentId: ["reply_to", "parent"],
  relatedIssueId: ["to"],
  failureGroupId: ["failure"],
  labelIds: ["labels"],
  addedLabelIds: ["add_labels"],
  removedLabelIds: ["remove_labels"],
  projectMilestoneId: ["milestone"],
  dueDate: ["due"],
  startDate: ["start"],
  targetDate: ["target"],
  startsAt: ["starts"],
  endsAt: ["ends"],
  statusId: ["state"],
  comment: ["summary"],
  term: ["text", "query"],
  from: ["since"],
  to: ["until"],
  first: ["limit"],
  after: ["cursor"],
};

const MAX_QUOTED = 80;

/** Replaces the API's names in a message by the names of the tool's parameters. Shortens long quoted values. */
export function toToolErrorMessage(text: string, parameters: readonly string[]): string {
  const cut = text.replace(/(?<=")[^"]+(?=")/g, (quoted) =>
    quoted.length > MAX_QUOTED ? `${quoted.slice(0, MAX_QUOTED)}…` : quoted,
  );
  return cut
    .split(/("[^"]*")/)
    .map((part, at) => (at % 2 === 1 ? part : renamed(part, parameters)))
    .join("");
}

const renamed = (text: string, parameters: readonly string[]): string =>
  text
    .replace(
      /(?<=^|; )(?:input\.)?(\w+)((?:\.\w+)*): /g,
      (_, name, rest) => `${parameterFor(name, parameters)}${rest}: `,
    )
    .replace(/\b[a-z]+(?:[A-Z][a-z]+)*(?:Ids?|At|Date)\b/g, (name) => parameterFor(name, parameters));

/**
 * Returns the tool's parameter for a name of the API. If the tool has no such parameter, returns the API's name as
 * separate words.
 */
function parameterFor(name: string, parameters: readonly string[]): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const snake = words.replaceAll(" ", "_");
  const candidates = [name, snake, snake.replace(/_ids?$/, ""), ...(getOwnProperty(PARAMETERS, name) ?? [])];
  return candidates.find((each) => parameters.includes(each)) ?? words.replace(/ ids?$/, "");
}
