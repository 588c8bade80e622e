import { z } from "zod";
import { ProtocolError } from "../errors.ts";
import { PROMPTS } from "../prompts/index.ts";
import { RESOURCES } from "../resources/index.ts";
import { type ResourceKind, templateOf } from "../resources/resource.ts";
import { checkedParams } from "./handler.ts";
import type { Method } from "./index.ts";
import { reported } from "./protocol-errors.ts";

const complete = z.object({
  ref: z.union([
    z.object({ type: z.literal("ref/prompt"), name: z.string() }),
    z.object({ type: z.literal("ref/resource"), uri: z.string() }),
  ]),
  argument: z.object({ name: z.string(), value: z.string().max(200) }),
});

/** The most values an answer may have. */
const MOST_VALUES = 100;

/** completion/complete, for the variables of the resource templates and the prompt arguments of the same kinds. */
export const completionMethods = {
  "completion/complete": async (params, session, signal) => {
    const { ref, argument } = checkedParams(complete, params);
    const kind = ref.type === "ref/prompt" ? ofPrompt(ref.name, argument.name) : ofTemplate(ref.uri, argument.name);
    if (!kind) return { completion: { values: [], total: 0, hasMore: false } };
    const caller = session.caller(signal);
    const values = await reported(kind.complete(argument.value, caller), caller);
    const shown = values.slice(0, MOST_VALUES);
    return { completion: { values: shown, total: values.length, hasMore: values.length > shown.length } };
  },
} satisfies Record<string, Method>;

function ofPrompt(name: string, argument: string): ResourceKind | undefined {
  const prompt = PROMPTS.get(name);
  if (!prompt) throw new ProtocolError(-32602, `Unknown prompt: ${name}. There are ${[...PROMPTS.keys()].join(", ")}.`);
  const kind = prompt.arguments.find((it) => it.name === argument)?.kind;
  return kind && RESOURCES.get(kind);
}

function ofTemplate(uri: string, argument: string): ResourceKind | undefined {
  const kind = [...RESOURCES.values()].find((it) => templateOf(it) === uri);
  if (!kind) throw new ProtocolError(-32602, `Unknown resource template: ${uri}`);
  return kind.variable === argument ? kind : undefined;
}
