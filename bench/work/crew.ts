import { writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { type Crew, runAgent } from "./agents.ts";

// Runs agents in a separate process that is killed at any time. The agents' reports are written immediately,
// one per line.
const crew = JSON.parse(await text(process.stdin)) as Crew;
for (const agent of crew.agents)
  void runAgent(crew, agent, (report) => writeSync(1, `${JSON.stringify({ agent: agent.id, report })}\n`));
