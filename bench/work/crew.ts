import { writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { type Crew, work } from "./agents.ts";

// Agents in a process of their own, to be killed amid whatever they do. Their reports go out at once, a line each.
const crew = JSON.parse(await text(process.stdin)) as Crew;
for (const agent of crew.agents)
  void work(crew, agent, (report) => writeSync(1, `${JSON.stringify({ agent: agent.id, report })}\n`));
