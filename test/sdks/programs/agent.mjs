import OpenAI from "openai";

/** Returns a stock client of the model on loopback. */
export const client = () => new OpenAI({ baseURL: `${process.env.MODEL_URL}/v1`, apiKey: "sk-fake" });

export const QUESTION = "What is the weather in Paris?";
export const SESSION = process.env.SESSION_NAME ?? "sdk-run-1";
export const USER = "ada@example.com";

const tool = (name, properties) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties } },
});
const TOOLS = [
  tool("get_weather", { city: { type: "string" } }),
  tool("broken", {}),
  tool("ask_researcher", { question: { type: "string" } }),
];

/** Tools that the model calls. The second tool fails. */
export const getWeather = async ({ city }) => `Sunny in ${city}`;
export const broken = async () => {
  throw new Error("tool exploded");
};

/** Runs an agent's loop: streams the model's responses and calls the requested tools. */
export async function converse(openai, question, tools) {
  const messages = [
    { role: "system", content: "You are the assistant." },
    { role: "user", content: question },
  ];
  for (;;) {
    const message = await answer(openai, messages, TOOLS);
    messages.push(message);
    if (!message.tool_calls) return message.content;
    for (const { id, function: called } of message.tool_calls) {
      const content = await tools[called.name](JSON.parse(called.arguments)).catch(
        (error) => `failed: ${error.message}`,
      );
      messages.push({ role: "tool", tool_call_id: id, content });
    }
  }
}

/** Runs the nested agent with a single question. */
export async function research(openai, { question }) {
  const { content } = await answer(openai, [
    { role: "system", content: "You are the Researcher." },
    { role: "user", content: question },
  ]);
  return content;
}

async function answer(openai, messages, tools) {
  const body = { model: "scripted-1", messages, tools, stream: true, stream_options: { include_usage: true } };
  const message = { role: "assistant", content: "" };
  for await (const { choices } of await openai.chat.completions.create(body)) {
    const { delta } = choices[0] ?? {};
    message.content += delta?.content ?? "";
    if (delta?.tool_calls) message.tool_calls = delta.tool_calls.map(({ index, ...call }) => call);
  }
  return message;
}
