import { Command, Option } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { type Paged, paged, withJson } from "../../options.ts";
import { answer, tell } from "../../output/print.ts";
import { worker } from "../../work/caller.ts";
import { filterOf, OPEN, type WhichOptions, which } from "../../work/filter.ts";
import { issueLine, issueRow, listLines, nextOf, type Page, type RowNode } from "../../work/issue.ts";

type Options = Paged & WhichOptions & { comments: boolean; open?: true; similar?: true };
type Found = Page<RowNode> & { totalCount: number; unmatchedWords?: string[] | null };

const AFTER = `
Issues with all words come first, then those with most. Examples:
  trackway search login midnight
  trackway search '"blank screen" -safari label:urgent created:>7d'
  trackway search --similar Login page stays blank
  trackway search timeout --team ENG --open --no-comments
`;

/** `trackway search`: finds issues by words. */
export const searchCommand = (): Command =>
  withJson(paged(which(new Command("search").description("find issues by words, the best match first"))))
    .argument("<words...>", "of the identifier, the title or the description")
    .option("--no-comments", "leave comments out")
    .addOption(new Option("--comments", "search comments too, as it does anyway").hideHelp())
    .option("--similar", "issues like one that would have this title")
    .option("--open", "only what is neither completed nor canceled")
    .addHelpText("after", AFTER)
    .action(run);

async function run(words: string[], options: Options): Promise<void> {
  const who = await worker();
  const term = words.join(" ");
  const { issues } = await who.ask<{ issues: Found }>(options.similar ? ISSUE.similar : ISSUE.search, {
    ...(options.similar ? { title: term } : { term, comments: options.comments }),
    filter: {
      ...(await filterOf(who, options)),
      ...(options.open && OPEN),
    },
    first: options.limit,
    after: options.after,
  });
  const { totalCount: total } = issues;
  answer(options.json, { issues: issues.nodes.map(issueRow), next: nextOf(issues), total }, () =>
    listLines(issues, issueLine, "Nothing was found."),
  );
  if (issues.unmatchedWords?.length) tell(`No issue has ${issues.unmatchedWords.join(" or ")}.`);
}
