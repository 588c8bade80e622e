import { Command, InvalidArgumentError, Option } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { addJsonOption, addPageOptions, type PageOptions } from "../../options.ts";
import { printResult, printToStderr, toOneLine } from "../../output/print.ts";
import { type CommandContext, createCommandContext } from "../../work/caller.ts";
import {
  addFilterOptions,
  addListOptions,
  buildIssueFilter,
  buildListFilter,
  type IssueFilterOptions,
  type ListOptions,
  OPEN_ISSUES_FILTER,
} from "../../work/filter.ts";
import {
  formatIssue,
  formatPage,
  type GraphqlPage,
  type IssueListNode,
  type IssueRowNode,
  readNextCursor,
  toApiFieldName,
  toIssueListRow,
  toIssueRow,
} from "../../work/issue.ts";

type Row = ReturnType<typeof toIssueListRow>;

const FIELDS =
  "id title state stateType priority team assignee delegate labels due updated url project milestone cycle".split(" ");

const GROUPS = ["state", "assignee", "label", "project", "milestone", "cycle", "priority", "team"] as const;

interface Options extends Omit<PageOptions, "json">, ListOptions {
  json?: true | string[];
  count?: true;
  groupBy?: (typeof GROUPS)[number];
}

const LIST = `
Lists open issues, most recently updated first. To list closed issues, use --all, --closed or --state.
Examples:
  trackway list --mine --state started
  trackway list --closed 7d --count --group-by assignee
  trackway list --label bug --json id,title,url
`;

/** `trackway list`: lists the issues that match the options. */
export const createListCommand = (): Command =>
  addListOptions(
    addPageOptions(
      new Command("list").description("list issues by state, label, assignee, project, milestone or cycle"),
    ),
  )
    .option("--count", "print the number of issues")
    .addOption(new Option("--group-by <field>", "group the list or the count by this field").choices(GROUPS))
    .addOption(
      new Option(
        "--json [fields]",
        "print one line of JSON; with fields such as id,title, only these fields",
      ).argParser(fields),
    )
    .addHelpText("after", LIST)
    .action(list);

function fields(text: string): string[] {
  const chosen = text.split(",").map((name) => name.trim());
  if (chosen.every((name) => FIELDS.includes(name))) return chosen;
  throw new InvalidArgumentError(`Use some of ${FIELDS.join(", ")}.`);
}

async function list({ json, count, groupBy, limit, after, ...options }: Options): Promise<void> {
  const who = await createCommandContext();
  const filter = await buildListFilter(who, options);
  if (count) return printCount(who, filter, Boolean(json), groupBy);
  const { issues: page } = await who.ask<{ issues: GraphqlPage<IssueListNode> }>(ISSUE.list, {
    filter,
    first: limit,
    after,
  });
  const picked = (row: Row) =>
    Array.isArray(json) ? Object.fromEntries(Object.entries(row).filter(([name]) => json.includes(name))) : row;
  printResult(
    Boolean(json),
    { issues: page.nodes.map((node) => picked(toIssueListRow(node))), next: readNextCursor(page) },
    () => (groupBy ? groupLines(page, groupBy) : formatPage(page, formatIssue, "No matching issues.")),
  );
}

/** Returns the groups of an issue. Only with labels can an issue be in several groups. */
function groupsOf(row: Row, by: (typeof GROUPS)[number]): readonly string[] {
  const value = by === "label" ? row.labels : row[by];
  const all = Array.isArray(value) ? value : [value ?? "none"];
  return all.length > 0 ? all : ["none"];
}

function groupLines(page: GraphqlPage<IssueListNode>, by: (typeof GROUPS)[number]): string[] {
  const groups = new Map<string, IssueListNode[]>();
  for (const node of page.nodes)
    for (const name of groupsOf(toIssueListRow(node), by)) groups.set(name, [...(groups.get(name) ?? []), node]);
  const lines = [...groups].flatMap(([name, nodes]) => [
    `${toOneLine(name, 60)}:`,
    ...nodes.map((node) => `  ${formatIssue(node)}`),
  ]);
  return [
    ...lines,
    ...formatPage({ ...page, nodes: [] }, formatIssue, lines.length > 0 ? "" : "No matching issues."),
  ].filter(Boolean);
}

interface Counted {
  count: number;
  groups: { name: string | null; count: number; project?: { name: string } | null }[];
  groupCount: number;
}

async function printCount(
  { ask }: CommandContext,
  filter: object,
  json: boolean,
  groupBy: Options["groupBy"],
): Promise<void> {
  const { counted } = await ask<{ counted: Counted }>(ISSUE.count, {
    filter,
    groupBy: groupBy && toApiFieldName(groupBy),
    ofProjects: groupBy === "milestone",
  });
  const groups = counted.groups.map(({ name, count, project }) => ({
    name: name ?? "none",
    count,
    project: project?.name ?? null,
  }));
  const truncated = counted.groupCount > groups.length;
  const cut = `${groups.length} of ${counted.groupCount} groups are shown; add a filter to see fewer groups`;
  const lineOf = ({ name, count, project }: (typeof groups)[number]) =>
    `${count} ${toOneLine(name, 60)}${project === null ? "" : ` (${toOneLine(project, 60)})`}`;
  printResult(json, { count: counted.count, groups, truncated }, () =>
    groupBy ? [...groups.map(lineOf), ...(truncated ? [cut] : [])] : [String(counted.count)],
  );
}

type SearchOptions = PageOptions & IssueFilterOptions & { comments: boolean; open?: true; similar?: true };
type Found = GraphqlPage<IssueRowNode> & { totalCount: number; unmatchedWords?: string[] | null };

const SEARCH = `
Issues that contain all words come first, then issues that contain most of the words. Examples:
  trackway search login midnight
  trackway search '"blank screen" -safari label:urgent created:>7d'
  trackway search --similar Login page stays blank
  trackway search timeout --team ENG --open --no-comments
`;

export const createSearchCommand = (): Command =>
  addJsonOption(
    addPageOptions(addFilterOptions(new Command("search").description("search issues by words, best match first"))),
  )
    .argument("<words...>", "words of the identifier, title or description")
    .option("--no-comments", "do not search comments")
    .addOption(new Option("--comments", "also search comments, which is the default").hideHelp())
    .option("--similar", "find issues that are similar to this title")
    .option("--open", "only open issues")
    .addHelpText("after", SEARCH)
    .action(search);

async function search(words: string[], options: SearchOptions): Promise<void> {
  const who = await createCommandContext();
  const term = words.join(" ");
  const { issues } = await who.ask<{ issues: Found }>(options.similar ? ISSUE.similar : ISSUE.search, {
    ...(options.similar ? { title: term } : { term, comments: options.comments }),
    filter: {
      ...(await buildIssueFilter(who, options)),
      ...(options.open && OPEN_ISSUES_FILTER),
    },
    first: options.limit,
    after: options.after,
  });
  const { totalCount: total } = issues;
  printResult(options.json, { issues: issues.nodes.map(toIssueRow), next: readNextCursor(issues), total }, () =>
    formatPage(issues, formatIssue, "No matching issues."),
  );
  if (issues.unmatchedWords?.length) printToStderr(`No issue contains ${issues.unmatchedWords.join(" or ")}.`);
}
