import { z } from "zod";
import { getOwnProperty } from "../../formats/own.ts";
import type { RequestContext } from "../client-context.ts";
import { ProtocolError } from "../errors.ts";
import { PROMPTS, type Prompt } from "../prompts.ts";
import { buildUriTemplate, RESOURCES, type ResourceKind } from "../resources.ts";
import { defineHandler, withProtocolErrors } from "./handler.ts";

const getParams = z.object({ name: z.string(), arguments: z.record(z.string(), z.string().max(1_000)).default({}) });

/** Handlers of prompts/list and prompts/get. */
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

const unknownPrompt = (name: string) => `Unknown prompt: ${name}. There are ${[...PROMPTS.keys()].join(", ")}.`;

function checkArguments(prompt: Prompt, args: Record<string, string>): void {
  const missing = prompt.arguments.find(({ name, required }) => required && !getOwnProperty(args, name));
  if (missing) throw new ProtocolError(-32602, `Invalid params: the argument ${missing.name} is required`);
  const unknown = Object.keys(args).find((name) => !prompt.arguments.some((argument) => argument.name === name));
  if (unknown !== undefined) throw new ProtocolError(-32602, `Invalid params: the prompt has no argument ${unknown}`);
}

/**
 * Reads the resources that the arguments of a prompt name, so that an unknown name causes an error. Returns the
 * resource of the argument `attached` as a second message, so that the model does not have to request the resource.
 */
async function checkedResources(prompt: Prompt, args: Record<string, string>, context: RequestContext) {
  const read = prompt.arguments.map(async ({ name, kind: kindName }) => {
    const [kind, value] = [RESOURCES.get(kindName ?? ""), getOwnProperty(args, name)];
    if (!kind || !value) return undefined;
    const text = await withProtocolErrors(kind.read(value, context), context);
    const resource = { uri: `tracker://${kind.name}/${encodeURIComponent(value)}`, mimeType: kind.mimeType, text };
    return name === prompt.attached ? { role: "user", content: { type: "resource", resource } } : undefined;
  });
  return (await Promise.all(read)).find((message) => message !== undefined);
}

const completeParams = z.object({
  ref: z.union([
    z.object({ type: z.literal("ref/prompt"), name: z.string() }),
    z.object({ type: z.literal("ref/resource"), uri: z.string() }),
  ]),
  argument: z.object({ name: z.string(), value: z.string().max(200) }),
});

/** Maximum number of values in a completion, by the protocol. */
const MAX_VALUES = 100;

/** Handler of completion/complete, for variables of resource templates and for arguments of prompts. */
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
  const kind = [...RESOURCES.values()].find((it) => buildUriTemplate(it) === uri);
  if (!kind) throw new ProtocolError(-32602, `Unknown resource template: ${uri}`);
  return kind.variable === argument ? kind : undefined;
}
