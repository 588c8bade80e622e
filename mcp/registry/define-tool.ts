import { z } from "zod";
import type { RequestContext } from "../client-context.ts";

/** The groups tools are switched on by: those that are on by default, then the others. */
export const DEFAULT_TOOLSETS = ["core", "sessions", "work"] as const;
export const TOOLSETS = [...DEFAULT_TOOLSETS, "plan", "bulk", "reports"] as const;
export type Toolset = (typeof TOOLSETS)[number];

/** Hints to clients about a call. All four are always written: a missing one means the worst to a client. */
interface Annotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** The annotations of a tool that reads, adds, or changes what is there. */
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
  /** Offered only to clients that brought an ingest key. */
  needsIngestKey?: boolean;
  /** A z.strictObject, so that an unknown argument is an error. */
  inputSchema: Input;
  outputSchema: Output;
  handler(args: z.output<Input>, context: RequestContext): Promise<z.input<Output>>;
}

/** One tool of the registry. */
export interface Tool {
  name: string;
  toolset: Toolset;
  readOnly: boolean;
  needsIngestKey: boolean;
  inputSchema: z.ZodObject;
  /** The entry of tools/list, made once. */
  definition: Record<string, unknown> & { name: string };
  /** `args` have passed `inputSchema`. */
  handler(args: unknown, context: RequestContext): Promise<Record<string, unknown>>;
}

/** Makes a tool of its parts, named as the SDK's registerTool names them; the handler's types follow from the schemas. */
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
 * Says in words what OpenAI's strict mode and Gemini do not accept as keywords: defaults, and lengths of strings. The
 * zod schemas check them all the same.
 */
function inWords(schema: z.core.JSONSchema.BaseSchema): void {
  const { description, default: value, maxLength } = schema;
  const phrases = [
    description,
    maxLength !== undefined && `at most ${maxLength} characters`,
    value !== undefined && `default ${value}`,
  ].filter(Boolean);
  // The bounds of whole numbers that a double has: no model need read them.
  for (const bound of ["minimum", "maximum"] as const)
    if (Math.abs(schema[bound] ?? 0) === Number.MAX_SAFE_INTEGER) delete schema[bound];
  for (const keyword of ["default", "minLength", "maxLength", "propertyNames"] as const) delete schema[keyword];
  if (phrases.length > 0) schema.description = phrases.join("; ");
}
