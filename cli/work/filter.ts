import { type Command, Option } from "commander";
import { gathered, moment } from "../options.ts";
import type { Worker } from "./caller.ts";
import { called, cycleOf, type Found, findNames } from "./names.ts";

/** The issues that are meant. */
export interface WhichOptions {
  team?: string;
  label?: string[];
}

/** The option that names a team. */
export const teamOption = (description: string): Option => new Option("--team <key>", description).env("TRACKWAY_TEAM");

/** Adds the options that narrow a list of issues. */
export const which = (command: Command): Command =>
  command
    .addOption(teamOption("only of this team"))
    .option("--label <name>", "only with this label; several: the option again", gathered);

/** The filter that they mean, by ids, which the index of ready issues knows. */
export async function filterOf(who: Worker, { team = who.team, label = [] }: WhichOptions): Promise<object> {
  return filterOfFound(await findNames(who, { team, labels: label }));
}

function filterOfFound({ team, labels }: Found): object {
  const ids = [...labels.values()];
  return {
    ...(team && { team: { id: { eq: team.id } } }),
    ...(ids.length > 0 && { and: ids.map((id) => ({ labels: { some: { id: { eq: id } } } })) }),
  };
}

/** The types of states in which an issue is closed. */
export const CLOSED = ["completed", "canceled", "duplicate"];

/** The filter of what is still to be done. */
export const OPEN = { state: { type: { nin: CLOSED } } };

const TYPES = ["triage", "backlog", "unstarted", "started", ...CLOSED];

/** The filter of the caller's own issues. */
export const MINE = { or: [{ delegate: { isMe: { eq: true } } }, { assignee: { isMe: { eq: true } } }] };

/** The issues that a list is about. */
export interface ListOptions extends WhichOptions {
  mine?: true;
  state?: string;
  assignee?: string;
  project?: string;
  milestone?: string;
  cycle?: string;
  closed?: string;
  all?: true;
}

/** Adds the options that choose issues of a list. */
export const listed = (command: Command): Command =>
  which(command)
    .option("--mine", "only what is assigned or delegated to you")
    .option(
      "--state <name>",
      "only in this state, or in a type of state: triage, backlog, unstarted, started, completed, canceled",
    )
    .option("--assignee <who>", "only of this person or agent, by name or e-mail address; me or none")
    .option("--project <name>", "only of this project, or none")
    .option("--milestone <name>", "only planned for this milestone, or none")
    .option("--cycle <which>", "only of this cycle, by number or name; current, next, previous or none")
    .addOption(new Option("--closed <time>", "only what was closed since, as 2026-01-31, 12h or 7d").argParser(moment))
    .option("--all", "closed ones too");

/** The filter of a list. @throws Failure for a name that nothing has */
export async function filterOfList(who: Worker, options: ListOptions): Promise<object> {
  const { team = who.team, label = [], state, assignee, project, milestone, cycle } = options;
  const isType = state !== undefined && TYPES.includes(state.toLowerCase());
  const named = (text: string | undefined, ...words: string[]) =>
    text === undefined || words.includes(text) ? undefined : text;
  const found = await findNames(who, {
    ...{ team, labels: label, state: isType ? undefined : state, user: named(assignee, "me", "none") },
    ...{ project: named(project, "none"), milestone: named(milestone, "none") },
    ...{ cycle: named(cycle, "none", "current", "next", "previous") },
  });
  const all = [
    filterOfFound(found),
    options.mine && MINE,
    state !== undefined && { state: isType ? { type: { eq: state.toLowerCase() } } : called("state", state) },
    assignee === "none" && { assignee: { null: true }, delegate: { null: true } },
    assignee === "me" && MINE,
    found.user && { [found.user.app ? "delegate" : "assignee"]: { id: { eq: found.user.id } } },
    project !== undefined && { project: found.project ? { id: { eq: found.project.id } } : { null: true } },
    milestone !== undefined && {
      projectMilestone: milestone === "none" ? { null: true } : called("milestone", milestone),
    },
    cycle !== undefined && { cycle: cycle === "none" ? { null: true } : cycleOf(cycle) },
    closedOrOpen(options),
  ];
  return { and: all.filter((filter) => typeof filter === "object") };
}

function closedOrOpen({ closed, all, state }: ListOptions): object | undefined {
  if (closed !== undefined) return { or: [{ completedAt: { gte: closed } }, { canceledAt: { gte: closed } }] };
  return all || state !== undefined ? undefined : OPEN;
}
