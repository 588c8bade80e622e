import { writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { type Crew, work } from "./agents.ts";

// Agents in a process of their own, to be killed amid whatever they do. What they tell goes out at once, a line each.
const crew = JSON.parse(await text(process.stdin)) as Crew;
for (const agent of crew.agents)
  void work(crew, agent, (told) => writeSync(1, `${JSON.stringify({ agent: agent.id, told })}\n`));
