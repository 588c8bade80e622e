import type { Agent } from "./agent.ts";
import { claudeCode } from "./claude-code/index.ts";
import { codex } from "./codex/index.ts";
import { copilot } from "./copilot/index.ts";
import { cursor } from "./cursor/index.ts";
import { geminiCli } from "./gemini-cli/index.ts";
import { opencode } from "./opencode/index.ts";
import { pi } from "./pi/index.ts";
import { qwenCode } from "./qwen-code/index.ts";

/** All agents. A new agent is a folder and a line here. If telemetry of two agents matches a record, the first applies. */
export const agents: readonly Agent[] = [claudeCode, codex, copilot, geminiCli, opencode, pi, qwenCode, cursor];

const byName: ReadonlyMap<string, Agent> = new Map(
  agents.flatMap((agent) => [agent.name, ...(agent.otherNames ?? [])].map((name) => [name, agent])),
);

/** Returns the agent that recorded a session; undefined for other programs. */
export const findAgent = (source: string | null): Agent | undefined => byName.get(source ?? "");

/**
 * Service names of the agents that have an agent-specific telemetry convention. Unrecognized inner spans of agents with
 * a convention, hundreds per turn, create no events.
 */
export const AGENT_SERVICE = new RegExp(
  `^(?:${agents.flatMap(({ name, otherNames = [], telemetry }) => (telemetry ? [name, ...otherNames] : [])).join("|")})`,
);
