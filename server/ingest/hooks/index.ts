import type { Endpoint } from "../capture/endpoints.ts";
import type { AgentHooks } from "./agent-hooks.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { hookEndpoint } from "./endpoint.ts";
import { geminiCli } from "./gemini-cli.ts";

const AGENTS: readonly AgentHooks[] = [claudeCode, codex, geminiCli];

/** The paths to which each agent's hooks post, under the root of the ingestion API. */
export const hookEndpoints: ReadonlyMap<string, Endpoint> = new Map(
  AGENTS.map((agent) => [`hooks/${agent.source}`, hookEndpoint(agent)]),
);
