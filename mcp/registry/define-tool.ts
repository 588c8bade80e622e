import { z } from "zod";
import type { RequestContext } from "../client-context.ts";

/** Toolsets that are enabled by default. `TOOLSETS` lists all toolsets. */
export const DEFAULT_TOOLSETS = ["core", "sessions", "work"] as const;
export const TOOLSETS = [...DEFAULT_TOOLSETS, "plan", "bulk", "reports"] as const;
export type Toolset = (typeof TOOLSETS)[number];

/** Hints to clients about a tool. All four are always sent, because clients assume the worst for a missing hint. */
interface Annotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/**
 * Annotations for three groups of tools: tools that only read data, tools that add data, and tools that change existing
 * data.
 */
export const ANNOTATIONS = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
} satisfies Record<string, Annotations>;

interface ToolOptions<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  toolset: Toolset;
  annotations: Annotations;
  /** True for a tool that only clients with an ingest key can use. */
  needsIngestKey?: boolean;
  /** A `z.strictObject`, so that an unknown argument is an error. */
  inputSchema: Input;
  outputSchema: Output;
  handler(args: z.output<Input>, context: RequestContext): Promise<z.input<Output>>;
}

export interface Tool {
  name: string;
  toolset: Toolset;
  readOnly: boolean;
  needsIngestKey: boolean;
  inputSchema: z.ZodObject;
  /** Entry of tools/list, created once. */
  definition: Record<string, unknown> & { name: string };
  /** Runs the tool with arguments that `inputSchema` accepted. */
  handler(args: unknown, context: RequestContext): Promise<Record<string, unknown>>;
}

/**
 * Creates a tool. The options have the same names as in the SDK's `registerTool`. TypeScript derives the argument and
 * result types of the handler from the schemas.
 */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ToolOptions<Input, Output>,
): Tool {
  return {
    name: tool.name,
    toolset: tool.toolset,
    readOnly: tool.annotations.readOnlyHint,
    needsIngestKey: tool.needsIngestKey ?? false,
    inputSchema: tool.inputSchema,
    definition: {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: jsonSchema(tool.inputSchema),
      outputSchema: jsonSchema(tool.outputSchema),
      annotations: { title: tool.title, ...tool.annotations },
    },
    handler: (args, context) => tool.handler(args as z.output<Input>, context),
  };
}

function jsonSchema(schema: z.ZodObject) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema: each }) => inWords(each),
  });
  return rest;
}

/**
 * Moves default values and maximum string lengths from JSON Schema keywords into the description, because OpenAI's
 * strict mode and Gemini reject these keywords. The zod schemas still check the values.
 */
function inWords(schema: z.core.JSONSchema.BaseSchema): void {
  const { description, default: value, maxLength } = schema;
  const phrases = [
    description,
    maxLength !== undefined && `at most ${maxLength} characters`,
    value !== undefined && `default ${value}`,
  ].filter(Boolean);
  // Removes a minimum or maximum that is only JavaScript's limit for safe integers. No model needs the limit for safe
  // integers.
  for (const bound of ["minimum", "maximum"] as const)
    if (Math.abs(schema[bound] ?? 0) === Number.MAX_SAFE_INTEGER) delete schema[bound];
  for (const keyword of ["default", "minLength", "maxLength", "propertyNames"] as const) delete schema[keyword];
  if (phrases.length > 0) schema.description = phrases.join("; ");
}
