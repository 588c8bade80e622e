import { Laminar, observe } from "@lmnr-ai/lmnr";
import OpenAI from "openai";
import * as agent from "./agent.mjs";

Laminar.initialize({
  projectApiKey: process.env.KEY,
  baseUrl: process.env.TRACES_URL,
  httpPort: Number(new URL(process.env.TRACES_URL).port),
  forceHttp: true,
  instrumentModules: { OpenAI },
});
const openai = agent.client();
const traced = (name, spanType, work) => (input) => observe({ name, spanType }, work, input);
const tools = {
  get_weather: traced("get_weather", "TOOL", agent.getWeather),
  broken: traced("broken", "TOOL", agent.broken),
  ask_researcher: traced("researcher", "DEFAULT", (input) => agent.research(openai, input)),
};
const run = { name: "assistant", sessionId: agent.SESSION, userId: agent.USER };
console.log(await observe(run, (question) => agent.converse(openai, question, tools), agent.QUESTION));
await Laminar.shutdown();
