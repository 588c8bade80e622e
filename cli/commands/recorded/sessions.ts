import { Command, InvalidArgumentError, Option } from "commander";
import { SESSION } from "../../api/documents.ts";
import { type Paged, paged, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { type SessionNode, sessionLine, sessionRow } from "../../sessions/session.ts";
import { worker } from "../../work/caller.ts";
import { listLines, nextOf, type Page } from "../../work/issue.ts";

interface Options extends Paged {
  agent?: string;
  user?: string;
  tool?: string;
  failed?: true;
  since?: string;
  text?: string;
}

const AFTER = `
Examples:
  trackway sessions --failed --since 2d
  trackway sessions --agent claude-code --limit 5
`;

/** `trackway sessions`: what was recorded of agents. */
export const sessionsCommand = (): Command =>
  withJson(paged(new Command("sessions").description("list recorded sessions of agents, the newest first")))
    .option("--agent <name>", "only of this agent")
    .option("--user <id>", "only of this end user")
    .option("--tool <name>", "only where this tool was called")
    .option("--failed", "only where something failed")
    .addOption(new Option("--since <time>", "only what began since, as 2026-01-31, 45m, 12h or 7d").argParser(moment))
    .option("--text <words>", "only where this text stands in an event")
    .addHelpText("after", AFTER)
    .action(run);

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function moment(text: string): string {
  const [, count, unit = ""] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const then = count ? Date.now() - Number(count) * (UNITS[unit] ?? 0) : Date.parse(text);
  if (Number.isNaN(then))
    throw new InvalidArgumentError("It is a date such as 2026-01-31, or how long ago: 45m, 12h, 7d.");
  return new Date(then).toISOString();
}

async function run({ json, limit, after, ...wanted }: Options): Promise<void> {
  const { agent, user, tool, failed, since, text } = wanted;
  const filter = {
    ...(agent !== undefined && { agent: { eq: agent } }),
    ...(user !== undefined && { user: { id: { eq: user } } }),
    ...(tool !== undefined && { tool: { eq: tool } }),
    ...(failed && { hasFailures: { eq: true } }),
    ...(since !== undefined && { startedAt: { gte: since } }),
    ...(text !== undefined && { text }),
  };
  const { ask } = await worker();
  const { recordedSessions: page } = await ask<{
    recordedSessions: Page<SessionNode> & { searchedSince: string | null };
  }>(SESSION.list, {
    filter,
    first: limit,
    after,
  });
  const { searchedSince } = page;
  const found = { sessions: page.nodes.map(sessionRow), next: nextOf(page), ...(searchedSince && { searchedSince }) };
  answer(json, found, () => [
    ...listLines(page, sessionLine, "Nothing was recorded."),
    ...(searchedSince ? [`Sessions before ${searchedSince} were not searched.`] : []),
  ]);
}
