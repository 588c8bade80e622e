import type { Caller } from "./run.ts";

const MOST_TURNS = 12;
const DEADLINE_MS = 120_000;

interface Message {
  role: string;
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

/**
 * A model as the caller, over an API compatible with OpenAI's chat completions: `TASKS_MODEL_URL` is the URL up to
 * `/v1`, `TASKS_MODEL` the name of the model, `TASKS_MODEL_KEY` an optional key. Undefined without a URL and a model.
 */
export function modelCaller(env: NodeJS.ProcessEnv): Caller | undefined {
  const { TASKS_MODEL_URL: url, TASKS_MODEL: model, TASKS_MODEL_KEY: key } = env;
  if (!url || !model) return undefined;
  const complete = async (messages: unknown[], tools: unknown[]): Promise<Message> => {
    const response = await fetch(`${url}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, messages, tools }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    if (!response.ok) throw new Error(`the model answered ${response.status}`);
    const { choices } = (await response.json()) as { choices: { message: Message }[] };
    const message = choices[0]?.message;
    if (!message) throw new Error("the model answered nothing");
    return message;
  };
  return async ({ say }, { client, call }) => {
    const { tools } = await client.listTools();
    const offered = tools.map(({ name, description, inputSchema }) => ({
      ...{ type: "function", function: { name, description, parameters: inputSchema } },
    }));
    const messages: unknown[] = [{ role: "user", content: say }];
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      const message = await complete(messages, offered);
      messages.push(message);
      if (!message.tool_calls?.length) return message.content ?? "";
      for (const { id, function: wanted } of message.tool_calls) {
        const { text } = await call(wanted.name, JSON.parse(wanted.arguments || "{}"));
        messages.push({ role: "tool", tool_call_id: id, content: text });
      }
    }
    throw new Error(`not done after ${MOST_TURNS} turns`);
  };
}
