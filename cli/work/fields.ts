import { type Command, Option } from "commander";
import { day, gathered, wholeNumber } from "../options.ts";
import { textOrStdin } from "../prompt.ts";
import type { Worker } from "./caller.ts";
import { PRIORITIES } from "./issue.ts";
import { issueId } from "./issues.ts";
import { type Found, findNames, type Names, stateOf, theOne } from "./names.ts";

/** The fields of an issue on the command line. */
export interface FieldOptions {
  title?: string;
  editor?: true;
  description?: string;
  state?: string;
  priority?: (typeof PRIORITIES)[number];
  assignee?: string;
  label?: string[];
  addLabel?: string[];
  removeLabel?: string[];
  project?: string;
  cycle?: string;
  milestone?: string;
  parent?: string;
  estimate?: number;
  due?: string;
}

/** Adds the options that create and update share. */
export const fields = (command: Command): Command =>
  command
    .option("--description <text>", "in Markdown; - reads standard input")
    .option("-e, --editor", "write title and description in $EDITOR, the title on the first line")
    .option("--state <name>", "a state of the team, or a type of state such as started")
    .addOption(new Option("--priority <word>", "how urgent").choices(PRIORITIES))
    .option("--assignee <who>", "name, e-mail address, me or none; an agent becomes the delegate")
    .option("--label <name>", "a label; several: the option again", gathered)
    .option("--project <name>", "a project, or none")
    .option("--milestone <name>", "a milestone of the issue's project, or none")
    .option("--cycle <which>", "a cycle of the team: its number or name, current, next, or none")
    .addOption(new Option("--parent <issue>", "the issue it is a part of, or none").argParser(issueId))
    .addOption(new Option("--estimate <points>", "how big").argParser(wholeNumber(0, 1000)))
    .addOption(new Option("--due <date>", "the day by which, as 2026-01-31, or none").argParser(day));

const real = (text: string | undefined): string | undefined => (text === "none" ? undefined : text);

/** True if any field but title and description is given. */
export const hasFields = (options: FieldOptions): boolean => {
  const { priority, estimate, due, parent, assignee, state, label, addLabel, removeLabel } = options;
  const planned = [options.project, options.milestone, options.cycle];
  const all = [priority, estimate, due, parent, assignee, state, ...planned, label, addLabel, removeLabel];
  return all.some((value) => value !== undefined);
};

/** The title and description that are given, or written in an editor that begins with those `before`. */
export async function textsOf(
  { title, description, editor }: FieldOptions,
  before: () => Promise<{ title: string; description: string | null }>,
): Promise<{ title?: string; description?: string }> {
  const given = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description: await textOrStdin(description) }),
  };
  if (!editor) return given;
  const { editedIssue } = await import("../files/editor.ts");
  const was = await before();
  return editedIssue(given.title ?? was.title, given.description ?? was.description ?? "");
}

/** The input of issueCreate or issueUpdate without its texts; names become ids, with one request at most. */
export async function inputOf(who: Worker, options: FieldOptions, where: Pick<Names, "issue" | "team" | "someTeam">) {
  const { label = [], addLabel = [], removeLabel = [], state } = options;
  const labels = [...label, ...addLabel, ...removeLabel];
  const cycle = real(options.cycle);
  const milestone = real(options.milestone);
  const needsProject = milestone !== undefined && options.project === undefined;
  const needsTeam = (state ?? cycle) !== undefined || labels.length > 0;
  const names = {
    ...where,
    issue: needsTeam || needsProject ? where.issue : undefined,
    user: real(options.assignee),
    project: real(options.project),
    labels,
    cycle,
    milestone,
  };
  const found = await findNames(who, names);
  const idsOf = (texts: string[] | undefined) => texts?.map((text) => String(found.labels.get(text)));
  const input = {
    ...plainFields(options),
    ...assignment(options.assignee, found),
    teamId: where.issue === undefined ? found.team?.id : undefined,
    stateId: state === undefined ? undefined : stateOf(found.team, state),
    cycleId: options.cycle === "none" ? null : cycle && (await cycleFor(who, cycle, found)).id,
    projectId: options.project === "none" ? null : found.project?.id,
    projectMilestoneId:
      options.milestone === "none" ? null : milestone && (await milestoneFor(who, milestone, found)).id,
    labelIds: idsOf(options.label),
    addedLabelIds: idsOf(options.addLabel),
    removedLabelIds: idsOf(options.removeLabel),
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

function plainFields({ priority, estimate, due, parent }: FieldOptions) {
  return {
    priority: priority && PRIORITIES.indexOf(priority),
    estimate,
    dueDate: due === "none" ? null : due,
    parentId: parent === "none" ? null : parent,
  };
}

/** A cycle by its name, of the team of the issue: teams number theirs alike. */
const cycleFor = (who: Worker, text: string, { team, several }: Found) =>
  theOne(
    who,
    "cycle",
    text,
    (several.cycle ?? []).filter((cycle) => cycle.team.id === team?.id),
  );

/** A milestone by its name, of the project that is named or that the issue is of: projects name theirs alike. */
function milestoneFor(who: Worker, text: string, { project, issueProject, several }: Found) {
  const of = (project ?? issueProject)?.id;
  const all = several.milestone ?? [];
  return theOne(who, "milestone", text, of === undefined ? all : all.filter((each) => each.project.id === of));
}

function assignment(text: string | undefined, { user }: Found) {
  if (text === "none") return { assigneeId: null, delegateId: null };
  if (!user) return {};
  return user.app ? { delegateId: user.id } : { assigneeId: user.id };
}
