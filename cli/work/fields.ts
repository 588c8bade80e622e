import { type Command, Option } from "commander";
import { collectValues, createNumberParser, parseDayOption } from "../options.ts";
import { readTextArgument } from "../prompt.ts";
import type { CommandContext } from "./caller.ts";
import { PRIORITIES } from "./issue.ts";
import { parseIssueArgument } from "./issues.ts";
import { type EntityNames, type FoundEntities, findEntitiesByName, findTeamStateId, findUniqueNode } from "./names.ts";

/** Values of the options for an issue's fields. */
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

/** Adds the options that `create` and `update` share. */
export const addFieldOptions = (command: Command): Command =>
  command
    .option("--description <text>", "description in Markdown; - reads standard input")
    .option("-e, --editor", "write the title (first line) and the description in $EDITOR")
    .option("--state <name>", "state of the team, or a state type such as started")
    .addOption(new Option("--priority <word>", "priority").choices(PRIORITIES))
    .option("--assignee <who>", "name, email address, me or none; an agent becomes the delegate")
    .option("--label <name>", "label; can be repeated", collectValues)
    .option("--project <name>", "project, or none")
    .option("--milestone <name>", "milestone of the issue's project, or none")
    .option("--cycle <which>", "cycle of the team: number or name, current, next, or none")
    .addOption(new Option("--parent <issue>", "parent issue, or none").argParser(parseIssueArgument))
    .addOption(new Option("--estimate <points>", "estimate in points").argParser(createNumberParser(0, 1000)))
    .addOption(new Option("--due <date>", "due date, such as 2026-01-31, or none").argParser(parseDayOption));

const omitNone = (text: string | undefined): string | undefined => (text === "none" ? undefined : text);

/** Returns true if any field except title and description is given. */
export const hasNonTextFields = (options: FieldOptions): boolean => {
  const { priority, estimate, due, parent, assignee, state, label, addLabel, removeLabel } = options;
  const planned = [options.project, options.milestone, options.cycle];
  const all = [priority, estimate, due, parent, assignee, state, ...planned, label, addLabel, removeLabel];
  return all.some((value) => value !== undefined);
};

/**
 * Returns the title and the description from the options. With `--editor`, opens an editor for both texts; `before`
 * then supplies the current texts of the issue.
 */
export async function readTitleAndDescription(
  { title, description, editor }: FieldOptions,
  before: () => Promise<{ title: string; description: string | null }>,
): Promise<{ title?: string; description?: string }> {
  const given = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description: await readTextArgument(description) }),
  };
  if (!editor) return given;
  const { editIssueInEditor } = await import("../files/editor.ts");
  const was = await before();
  return editIssueInEditor(given.title ?? was.title, given.description ?? was.description ?? "");
}

/**
 * Builds the input of issueCreate or issueUpdate, without title and description. Looks up all names with one request at
 * most.
 */
export async function buildIssueInput(
  who: CommandContext,
  options: FieldOptions,
  where: Pick<EntityNames, "issue" | "team" | "someTeam">,
) {
  const { label = [], addLabel = [], removeLabel = [], state } = options;
  const labels = [...label, ...addLabel, ...removeLabel];
  const cycle = omitNone(options.cycle);
  const milestone = omitNone(options.milestone);
  const needsProject = milestone !== undefined && options.project === undefined;
  const needsTeam = (state ?? cycle) !== undefined || labels.length > 0;
  const names = {
    ...where,
    issue: needsTeam || needsProject ? where.issue : undefined,
    user: omitNone(options.assignee),
    project: omitNone(options.project),
    labels,
    cycle,
    milestone,
  };
  const found = await findEntitiesByName(who, names);
  const idsOf = (texts: string[] | undefined) => texts?.map((text) => String(found.labels.get(text)));
  const input = {
    ...plainFields(options),
    ...assignment(options.assignee, found),
    teamId: where.issue === undefined ? found.team?.id : undefined,
    stateId: state === undefined ? undefined : findTeamStateId(found.team, state),
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

/** Finds a cycle by name in the issue's team, because several teams may use the same number or name. */
const cycleFor = (who: CommandContext, text: string, { team, several }: FoundEntities) =>
  findUniqueNode(
    who,
    "cycle",
    text,
    (several.cycle ?? []).filter((cycle) => cycle.team.id === team?.id),
  );

/**
 * Finds a milestone by name in the given project, otherwise in the issue's project. Several projects may use the same
 * name.
 */
function milestoneFor(who: CommandContext, text: string, { project, issueProject, several }: FoundEntities) {
  const of = (project ?? issueProject)?.id;
  const all = several.milestone ?? [];
  return findUniqueNode(who, "milestone", text, of === undefined ? all : all.filter((each) => each.project.id === of));
}

function assignment(text: string | undefined, { user }: FoundEntities) {
  if (text === "none") return { assigneeId: null, delegateId: null };
  if (!user) return {};
  return user.app ? { delegateId: user.id } : { assigneeId: user.id };
}
