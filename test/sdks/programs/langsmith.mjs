import { Client } from "langsmith";
import { traceable } from "langsmith/traceable";
import { wrapOpenAI } from "langsmith/wrappers";
import * as agent from "./agent.mjs";

const traces = new Client();
const openai = wrapOpenAI(agent.client(), { client: traces });
const traced = (name, run_type, work, more = {}) =>
  traceable(work, {
    name,
    run_type,
    client: traces,
    metadata: { session_id: agent.SESSION, user_id: agent.USER, ...more },
  });
const tools = {
  get_weather: traced("get_weather", "tool", agent.getWeather),
  broken: traced("broken", "tool", agent.broken),
  ask_researcher: traced("researcher", "chain", (input) => agent.research(openai, input), {
    ls_agent_type: "subagent",
  }),
};
const assistant = traced("assistant", "chain", (question) => agent.converse(openai, question, tools));
console.log(await assistant(agent.QUESTION));
await traces.awaitPendingTraceBatches();
