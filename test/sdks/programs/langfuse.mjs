import { Langfuse, observeOpenAI } from "langfuse";
import * as agent from "./agent.mjs";

const langfuse = new Langfuse();
const trace = langfuse.trace({
  name: "assistant",
  sessionId: agent.SESSION,
  userId: agent.USER,
  input: agent.QUESTION,
});
const observed = (parent) => observeOpenAI(agent.client(), { parent, generationName: "answer" });
const tool = (name, work) => async (input) => {
  const span = trace.span({ name, input, metadata: { kind: "tool" } });
  try {
    const output = await work(input, span);
    span.end({ output });
    return output;
  } catch (error) {
    span.end({ level: "ERROR", statusMessage: error.message });
    throw error;
  }
};
const tools = {
  get_weather: tool("get_weather", agent.getWeather),
  broken: tool("broken", agent.broken),
  ask_researcher: tool("researcher", (input, span) => agent.research(observed(span), input)),
};
const output = await agent.converse(observed(trace), agent.QUESTION, tools);
trace.update({ output });
console.log(output);
await langfuse.shutdownAsync();
