import { z } from "zod";
import { ProtocolError } from "../errors.ts";
import { PROMPTS } from "../prompts/index.ts";
import type { Prompt } from "../prompts/prompt.ts";
import { RESOURCES } from "../resources/index.ts";
import { checkedParams } from "./handler.ts";
import type { Method } from "./index.ts";
import { reported } from "./protocol-errors.ts";

const get = z.object({ name: z.string(), arguments: z.record(z.string(), z.string().max(1_000)).default({}) });

/** prompts/list and prompts/get. */
export const promptMethods = {
  "prompts/list": () => ({
    prompts: [...PROMPTS.values()].map((prompt) => ({
      name: prompt.name,
      title: prompt.title,
      description: prompt.description,
      arguments: prompt.arguments.map(({ name, description, required }) => ({ name, description, required })),
    })),
  }),
  "prompts/get": async (params, session, signal) => {
    const { name, arguments: args } = checkedParams(get, params);
    const prompt = PROMPTS.get(name);
    if (!prompt)
      throw new ProtocolError(-32602, `Unknown prompt: ${name}. There are ${[...PROMPTS.keys()].join(", ")}.`);
    requireArguments(prompt, args);
    const said = { role: "user", content: { type: "text", text: prompt.text(args) } };
    const kind = RESOURCES.get(prompt.arguments.find(({ name }) => name === prompt.attached)?.kind ?? "");
    const value = prompt.attached && args[prompt.attached];
    if (!kind || !value) return { description: prompt.description, messages: [said] };
    const caller = session.caller(signal);
    const text = await reported(kind.read(value, caller), caller);
    const resource = { uri: `tracker://${kind.name}/${encodeURIComponent(value)}`, mimeType: kind.mimeType, text };
    return {
      description: prompt.description,
      messages: [said, { role: "user", content: { type: "resource", resource } }],
    };
  },
} satisfies Record<string, Method>;

function requireArguments(prompt: Prompt, args: Record<string, string>): void {
  const missing = prompt.arguments.find(({ name, required }) => required && !args[name]);
  if (missing) throw new ProtocolError(-32602, `Invalid params: the argument ${missing.name} is required`);
  const unknown = Object.keys(args).find((name) => !prompt.arguments.some((argument) => argument.name === name));
  if (unknown !== undefined) throw new ProtocolError(-32602, `Invalid params: the prompt has no argument ${unknown}`);
}
