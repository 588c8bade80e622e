import { type Command, Option } from "commander";
import { collectValues, parseTimeOption } from "../options.ts";
import type { CommandContext } from "./caller.ts";
import { buildCycleFilter, buildNameFilter, type FoundEntities, findEntitiesByName } from "./names.ts";

/** Options that select issues. */
export interface IssueFilterOptions {
  team?: string;
  label?: string[];
}

export const createTeamOption = (description: string): Option =>
  new Option("--team <key>", description).env("TRACKWAY_TEAM");

/** Adds the options that filter a list of issues. */
export const addFilterOptions = (command: Command): Command =>
  command
    .addOption(createTeamOption("only issues of this team"))
    .option("--label <name>", "only issues with this label; can be repeated", collectValues);

/**
 * Returns the filter of issues for the given options. The filter contains ids instead of names, because the index of
 * ready issues requires ids.
 */
export async function buildIssueFilter(
  who: CommandContext,
  { team = who.team, label = [] }: IssueFilterOptions,
): Promise<object> {
  return filterOfFound(await findEntitiesByName(who, { team, labels: label }));
}

function filterOfFound({ team, labels }: FoundEntities): object {
  const ids = [...labels.values()];
  return {
    ...(team && { team: { id: { eq: team.id } } }),
    ...(ids.length > 0 && { and: ids.map((id) => ({ labels: { some: { id: { eq: id } } } })) }),
  };
}

export const CLOSED_STATE_TYPES = ["completed", "canceled", "duplicate"];

export const OPEN_ISSUES_FILTER = { state: { type: { nin: CLOSED_STATE_TYPES } } };

const TYPES = ["triage", "backlog", "unstarted", "started", ...CLOSED_STATE_TYPES];

/** Filter of the caller's issues. */
export const OWN_ISSUES_FILTER = { or: [{ delegate: { isMe: { eq: true } } }, { assignee: { isMe: { eq: true } } }] };

/** Options that select the issues of a list. */
export interface ListOptions extends IssueFilterOptions {
  mine?: true;
  state?: string;
  assignee?: string;
  project?: string;
  milestone?: string;
  cycle?: string;
  closed?: string;
  all?: true;
}

/** Adds the options that select the issues of a list. */
export const addListOptions = (command: Command): Command =>
  addFilterOptions(command)
    .option("--mine", "only issues that are assigned or delegated to you")
    .option(
      "--state <name>",
      "only issues in this state, or with this state type: triage, backlog, unstarted, started, completed, canceled",
    )
    .option("--assignee <who>", "only issues of this user or agent, by name or email address; me or none")
    .option("--project <name>", "only issues of this project, or none")
    .option("--milestone <name>", "only issues of this milestone, or none")
    .option("--cycle <which>", "only issues of this cycle, by number or name; current, next, previous or none")
    .addOption(
      new Option("--closed <time>", "only issues that were closed since, such as 2026-01-31, 12h or 7d").argParser(
        parseTimeOption,
      ),
    )
    .option("--all", "also list closed issues");

/** Returns the filter of a list. @throws Failure for an unknown name */
export async function buildListFilter(who: CommandContext, options: ListOptions): Promise<object> {
  const { team = who.team, label = [], state, assignee, project, milestone, cycle } = options;
  const isType = state !== undefined && TYPES.includes(state.toLowerCase());
  const named = (text: string | undefined, ...words: string[]) =>
    text === undefined || words.includes(text) ? undefined : text;
  const found = await findEntitiesByName(who, {
    ...{ team, labels: label, state: isType ? undefined : state, user: named(assignee, "me", "none") },
    ...{ project: named(project, "none"), milestone: named(milestone, "none") },
    ...{ cycle: named(cycle, "none", "current", "next", "previous") },
  });
  const all = [
    filterOfFound(found),
    options.mine && OWN_ISSUES_FILTER,
    state !== undefined && { state: isType ? { type: { eq: state.toLowerCase() } } : buildNameFilter("state", state) },
    assignee === "none" && { assignee: { null: true }, delegate: { null: true } },
    assignee === "me" && OWN_ISSUES_FILTER,
    found.user && { [found.user.app ? "delegate" : "assignee"]: { id: { eq: found.user.id } } },
    project !== undefined && { project: found.project ? { id: { eq: found.project.id } } : { null: true } },
    milestone !== undefined && {
      projectMilestone: milestone === "none" ? { null: true } : buildNameFilter("milestone", milestone),
    },
    cycle !== undefined && { cycle: cycle === "none" ? { null: true } : buildCycleFilter(cycle) },
    closedOrOpen(options),
  ];
  return { and: all.filter((filter) => typeof filter === "object") };
}

function closedOrOpen({ closed, all, state }: ListOptions): object | undefined {
  if (closed !== undefined) return { or: [{ completedAt: { gte: closed } }, { canceledAt: { gte: closed } }] };
  return all || state !== undefined ? undefined : OPEN_ISSUES_FILTER;
}
