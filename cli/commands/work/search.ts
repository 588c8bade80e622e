import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { type Paged, paged, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { worker } from "../../work/caller.ts";
import { filterOf, type WhichOptions, which } from "../../work/filter.ts";
import { issueLine, issueRow, listLines, nextOf, type Page, type RowNode } from "../../work/issue.ts";

type Options = Paged & WhichOptions & { comments?: true; open?: true };

const AFTER = `
Every word must be found, in any case. Examples:
  trackway search login midnight
  trackway search timeout --team ENG --open --comments
`;

/** `trackway search`: finds issues by words. */
export const searchCommand = (): Command =>
  withJson(paged(which(new Command("search").description("find issues by words, the best match first"))))
    .argument("<words...>", "of the identifier, the title or the description")
    .option("--comments", "search comments too")
    .option("--open", "only what is neither completed nor canceled")
    .addHelpText("after", AFTER)
    .action(run);

async function run(words: string[], options: Options): Promise<void> {
  const who = await worker();
  const { issues } = await who.ask<{ issues: Page<RowNode> & { totalCount: number } }>(ISSUE.search, {
    term: words.join(" "),
    filter: {
      ...(await filterOf(who, options)),
      ...(options.open && { state: { type: { nin: ["completed", "canceled", "duplicate"] } } }),
    },
    first: options.limit,
    after: options.after,
    comments: options.comments ?? false,
  });
  const { totalCount: total } = issues;
  answer(options.json, { issues: issues.nodes.map(issueRow), next: nextOf(issues), total }, () =>
    listLines(issues, issueLine, "Nothing was found."),
  );
}
