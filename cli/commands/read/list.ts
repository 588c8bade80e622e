import { Command, InvalidArgumentError, Option } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { type Paged, paged, withJson } from "../../options.ts";
import { answer, oneLine, tell } from "../../output/print.ts";
import { type Worker, worker } from "../../work/caller.ts";
import { filterOf, filterOfList, type ListOptions, listed, OPEN, type WhichOptions, which } from "../../work/filter.ts";
import {
  apiName,
  issueLine,
  issueRow,
  type ListNode,
  listLines,
  listRow,
  nextOf,
  type Page,
  type RowNode,
} from "../../work/issue.ts";

type Row = ReturnType<typeof listRow>;

const FIELDS =
  "id title state stateType priority team assignee delegate labels due updated url project milestone cycle".split(" ");

const GROUPS = ["state", "assignee", "label", "project", "milestone", "cycle", "priority", "team"] as const;

interface Options extends Omit<Paged, "json">, ListOptions {
  json?: true | string[];
  count?: true;
  groupBy?: (typeof GROUPS)[number];
}

const LIST = `
Open issues, the last changed first, unless --all, --closed or --state say otherwise.
Examples:
  trackway list --mine --state started
  trackway list --closed 7d --count --group-by assignee
  trackway list --label bug --json id,title,url
`;

/** `trackway list`: the issues that meet some conditions. */
export const listCommand = (): Command =>
  listed(paged(new Command("list").description("list issues by state, label, assignee, project, milestone or cycle")))
    .option("--count", "say how many there are")
    .addOption(new Option("--group-by <field>", "list or count them by this").choices(GROUPS))
    .addOption(
      new Option("--json [fields]", "answer one line of JSON; fields such as id,title are those alone").argParser(
        fields,
      ),
    )
    .addHelpText("after", LIST)
    .action(list);

function fields(text: string): string[] {
  const chosen = text.split(",").map((name) => name.trim());
  if (chosen.every((name) => FIELDS.includes(name))) return chosen;
  throw new InvalidArgumentError(`They are some of ${FIELDS.join(", ")}.`);
}

async function list({ json, count, groupBy, limit, after, ...options }: Options): Promise<void> {
  const who = await worker();
  const filter = await filterOfList(who, options);
  if (count) return printCount(who, filter, Boolean(json), groupBy);
  const { issues: page } = await who.ask<{ issues: Page<ListNode> }>(ISSUE.list, { filter, first: limit, after });
  const picked = (row: Row) =>
    Array.isArray(json) ? Object.fromEntries(Object.entries(row).filter(([name]) => json.includes(name))) : row;
  answer(Boolean(json), { issues: page.nodes.map((node) => picked(listRow(node))), next: nextOf(page) }, () =>
    groupBy ? groupLines(page, groupBy) : listLines(page, issueLine, "No issue is like that."),
  );
}

/** The groups that an issue is in: one, but for labels, of which it may have several. */
function groupsOf(row: Row, by: (typeof GROUPS)[number]): readonly string[] {
  const value = by === "label" ? row.labels : row[by];
  const all = Array.isArray(value) ? value : [value ?? "none"];
  return all.length > 0 ? all : ["none"];
}

function groupLines(page: Page<ListNode>, by: (typeof GROUPS)[number]): string[] {
  const groups = new Map<string, ListNode[]>();
  for (const node of page.nodes)
    for (const name of groupsOf(listRow(node), by)) groups.set(name, [...(groups.get(name) ?? []), node]);
  const lines = [...groups].flatMap(([name, nodes]) => [
    `${oneLine(name, 60)}:`,
    ...nodes.map((node) => `  ${issueLine(node)}`),
  ]);
  return [
    ...lines,
    ...listLines({ ...page, nodes: [] }, issueLine, lines.length > 0 ? "" : "No issue is like that."),
  ].filter(Boolean);
}

interface Counted {
  count: number;
  groups: { name: string | null; count: number; project?: { name: string } | null }[];
  groupCount: number;
}

async function printCount({ ask }: Worker, filter: object, json: boolean, groupBy: Options["groupBy"]): Promise<void> {
  const { counted } = await ask<{ counted: Counted }>(ISSUE.count, {
    filter,
    groupBy: groupBy && apiName(groupBy),
    ofProjects: groupBy === "milestone",
  });
  const groups = counted.groups.map(({ name, count, project }) => ({
    name: name ?? "none",
    count,
    project: project?.name ?? null,
  }));
  const truncated = counted.groupCount > groups.length;
  const cut = `${groups.length} of ${counted.groupCount} groups are shown; narrow with a filter`;
  const lineOf = ({ name, count, project }: (typeof groups)[number]) =>
    `${count} ${oneLine(name, 60)}${project === null ? "" : ` (${oneLine(project, 60)})`}`;
  answer(json, { count: counted.count, groups, truncated }, () =>
    groupBy ? [...groups.map(lineOf), ...(truncated ? [cut] : [])] : [String(counted.count)],
  );
}

type SearchOptions = Paged & WhichOptions & { comments: boolean; open?: true; similar?: true };
type Found = Page<RowNode> & { totalCount: number; unmatchedWords?: string[] | null };

const SEARCH = `
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
    .addHelpText("after", SEARCH)
    .action(search);

async function search(words: string[], options: SearchOptions): Promise<void> {
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
