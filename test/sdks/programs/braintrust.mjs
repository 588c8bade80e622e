import { flush, initLogger, traced, wrapOpenAI } from "braintrust";
import * as agent from "./agent.mjs";

initLogger({ projectName: "trackway" });
const openai = wrapOpenAI(agent.client());
const span = (name, type, work) => (input) =>
  traced(
    async (own) => {
      const output = await work(input);
      own.log({ output });
      return output;
    },
    { name, type, event: { input, metadata: { session_id: agent.SESSION, user_id: agent.USER } } },
  );
const tools = {
  get_weather: span("get_weather", "tool", agent.getWeather),
  broken: span("broken", "tool", agent.broken),
  ask_researcher: span("researcher", "task", (input) => agent.research(openai, input)),
};
console.log(await span("assistant", "task", (question) => agent.converse(openai, question, tools))(agent.QUESTION));
await flush();
