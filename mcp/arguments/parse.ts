import type { z } from "zod";
import { ToolError } from "../errors.ts";
import type { Tool } from "../registry/define-tool.ts";
import { withoutNulls } from "./without-nulls.ts";

/**
 * Checks the arguments of a call against the input schema of its tool.
 * @throws ToolError that names the first bad or unknown argument and what the tool takes.
 */
export function parseArguments(tool: Tool, args: unknown): unknown {
  const given = withoutNulls(tool.inputSchema, args ?? {});
  const parsed = tool.inputSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ToolError(issue ? argumentError(tool, issue, given) : `The arguments of ${tool.name} are not understood.`);
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
    return `${path} must be one of: ${issue.values.join(", ")}. Correct it and call again.`;
  }
  if (issue.code === "invalid_type" && valueAt(args, issue.path) === undefined) {
    return `${path} is required.${issue.path.length > 1 ? " Add it and call again." : ` ${tool.name} takes: ${known}.`}`;
  }
  return `${path || "The arguments"}: ${issue.message}. Correct it and call again.`;
}

function valueAt(args: unknown, path: PropertyKey[]): unknown {
  return path.reduce((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], args);
}
