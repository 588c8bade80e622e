import { z } from "zod";
import { ProtocolError } from "../errors.ts";
import { PROMPTS } from "../prompts/index.ts";
import { RESOURCES } from "../resources/index.ts";
import { type ResourceKind, templateOf } from "../resources/resource.ts";
import { defineHandler } from "./handler.ts";
import { unknownPrompt } from "./prompts.ts";
import { withProtocolErrors } from "./protocol-errors.ts";

const completeParams = z.object({
  ref: z.union([
    z.object({ type: z.literal("ref/prompt"), name: z.string() }),
    z.object({ type: z.literal("ref/resource"), uri: z.string() }),
  ]),
  argument: z.object({ name: z.string(), value: z.string().max(200) }),
});

/** The most values a completion may have, by the protocol. */
const MAX_VALUES = 100;

/** completion/complete, for the variables of the resource templates and the prompt arguments of the same kinds. */
export const completionHandlers = [
  defineHandler("completion/complete", completeParams, async ({ ref, argument }, client, signal) => {
    const kind = ref.type === "ref/prompt" ? ofPrompt(ref.name, argument.name) : ofTemplate(ref.uri, argument.name);
    if (!kind) return { completion: { values: [], total: 0, hasMore: false } };
    const context = client.request(signal);
    const values = await withProtocolErrors(kind.complete(argument.value, context), context);
    const shown = values.slice(0, MAX_VALUES);
    return { completion: { values: shown, total: values.length, hasMore: values.length > shown.length } };
  }),
];

function ofPrompt(name: string, argument: string): ResourceKind | undefined {
  const prompt = PROMPTS.get(name);
  if (!prompt) throw new ProtocolError(-32602, unknownPrompt(name));
  const kind = prompt.arguments.find((it) => it.name === argument)?.kind;
  return kind && RESOURCES.get(kind);
}

function ofTemplate(uri: string, argument: string): ResourceKind | undefined {
  const kind = [...RESOURCES.values()].find((it) => templateOf(it) === uri);
  if (!kind) throw new ProtocolError(-32602, `Unknown resource template: ${uri}`);
  return kind.variable === argument ? kind : undefined;
}
