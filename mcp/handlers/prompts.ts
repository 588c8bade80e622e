import { z } from "zod";
import { ProtocolError } from "../errors.ts";
import { PROMPTS } from "../prompts/index.ts";
import type { Prompt } from "../prompts/prompt.ts";
import type { RequestContext } from "../request-context.ts";
import { RESOURCES } from "../resources/index.ts";
import { defineHandler } from "./handler.ts";
import { withProtocolErrors } from "./protocol-errors.ts";

const getParams = z.object({ name: z.string(), arguments: z.record(z.string(), z.string().max(1_000)).default({}) });

/** prompts/list and prompts/get. */
export const promptHandlers = [
  defineHandler("prompts/list", z.unknown(), () => ({
    prompts: [...PROMPTS.values()].map((prompt) => ({
      name: prompt.name,
      title: prompt.title,
      description: prompt.description,
      arguments: prompt.arguments.map(({ name, description, required }) => ({ name, description, required })),
    })),
  })),
  defineHandler("prompts/get", getParams, async ({ name, arguments: args }, client, signal) => {
    const prompt = PROMPTS.get(name);
    if (!prompt) throw new ProtocolError(-32602, unknownPrompt(name));
    checkArguments(prompt, args);
    const context = client.request(signal);
    const text = await withProtocolErrors(Promise.resolve(prompt.text(args, context)), context);
    const request = { role: "user", content: { type: "text", text } };
    const attachment = await checkedResources(prompt, args, context);
    return { description: prompt.description, messages: attachment ? [request, attachment] : [request] };
  }),
];

/** The message for a prompt that does not exist. */
export const unknownPrompt = (name: string) => `Unknown prompt: ${name}. There are ${[...PROMPTS.keys()].join(", ")}.`;

function checkArguments(prompt: Prompt, args: Record<string, string>): void {
  const missing = prompt.arguments.find(({ name, required }) => required && !args[name]);
  if (missing) throw new ProtocolError(-32602, `Invalid params: the argument ${missing.name} is required`);
  const unknown = Object.keys(args).find((name) => !prompt.arguments.some((argument) => argument.name === name));
  if (unknown !== undefined) throw new ProtocolError(-32602, `Invalid params: the prompt has no argument ${unknown}`);
}

/**
 * Reads what the arguments name, so that a name of nothing is an error; what the prompt is about is a second message, so that
 * the model need not ask for it.
 */
async function checkedResources(prompt: Prompt, args: Record<string, string>, context: RequestContext) {
  const read = prompt.arguments.map(async ({ name, kind: kindName }) => {
    const [kind, value] = [RESOURCES.get(kindName ?? ""), args[name]];
    if (!kind || !value) return undefined;
    const text = await withProtocolErrors(kind.read(value, context), context);
    const resource = { uri: `tracker://${kind.name}/${encodeURIComponent(value)}`, mimeType: kind.mimeType, text };
    return name === prompt.attached ? { role: "user", content: { type: "resource", resource } } : undefined;
  });
  return (await Promise.all(read)).find((message) => message !== undefined);
}
