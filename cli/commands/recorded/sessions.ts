import { Command } from "commander";
import { SESSION } from "../../api/documents.ts";
import { type Paged, paged, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { chosen, filterOf, type Wanted } from "../../sessions/filter.ts";
import { type SessionNode, sessionLine, sessionRow } from "../../sessions/session.ts";
import { worker } from "../../work/caller.ts";
import { listLines, nextOf, type Page } from "../../work/issue.ts";

type Options = Paged & Wanted;

const AFTER = `
Examples:
  trackway sessions --failed --since 2d
  trackway sessions --agent claude-code --limit 5
`;

/** `trackway sessions`: what was recorded of agents. */
export const sessionsCommand = (): Command =>
  withJson(chosen(paged(new Command("sessions").description("list recorded sessions of agents, the newest first"))))
    .addHelpText("after", AFTER)
    .action(run);

async function run({ json, limit, after, ...wanted }: Options): Promise<void> {
  const filter = filterOf(wanted);
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
