import { z } from "zod";
import type { RequestContext } from "../request-context.ts";

/** The groups tools are switched on by. `core` and `sessions` are on unless told otherwise. */
export const TOOLSETS = ["core", "sessions", "bulk", "reports"] as const;
export type Toolset = (typeof TOOLSETS)[number];

/** What a client may assume about a call; all four are always written (decisions §7). */
interface Annotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** The ready-made annotations: a tool reads, adds, or changes what is there. */
export const EFFECT = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
} satisfies Record<string, Annotations>;

interface ToolSpec<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  toolset: Toolset;
  effect: Annotations;
  /** Offered only to callers that brought an ingest key. */
  needsIngestKey?: boolean;
  /** Closed: a z.strictObject. */
  input: Input;
  output: Output;
  run(args: z.output<Input>, context: RequestContext): Promise<z.input<Output>>;
}

/** One tool of the table. */
export interface Tool {
  name: string;
  toolset: Toolset;
  readOnly: boolean;
  needsIngestKey: boolean;
  input: z.ZodObject;
  /** What tools/list says of it, made once. */
  definition: Record<string, unknown> & { name: string };
  /** `args` have passed `input`. */
  run(args: unknown, context: RequestContext): Promise<Record<string, unknown>>;
}

/** Makes a tool of its parts; argument and result types follow from the schemas. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(spec: ToolSpec<Input, Output>): Tool {
  return {
    name: spec.name,
    toolset: spec.toolset,
    readOnly: spec.effect.readOnlyHint,
    needsIngestKey: spec.needsIngestKey ?? false,
    input: spec.input,
    definition: {
      name: spec.name,
      title: spec.title,
      description: spec.description,
      inputSchema: jsonSchema(spec.input),
      outputSchema: jsonSchema(spec.output),
      annotations: { title: spec.title, ...spec.effect },
    },
    run: (args, context) => spec.run(args as z.output<Input>, context),
  };
}

function jsonSchema(schema: z.ZodObject) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
}
