import { type Command, InvalidArgumentError, Option } from "commander";
import { gathered, wholeNumber } from "../options.ts";
import { textOrStdin } from "../stdin.ts";
import type { Worker } from "./caller.ts";
import { PRIORITIES } from "./issue.ts";
import { type Found, findNames, type Names, stateOf } from "./names.ts";

/** The fields of an issue on the command line. */
export interface FieldOptions {
  description?: string;
  state?: string;
  priority?: (typeof PRIORITIES)[number];
  assignee?: string;
  label?: string[];
  addLabel?: string[];
  removeLabel?: string[];
  project?: string;
  parent?: string;
  estimate?: number;
  due?: string;
}

/** Adds the options that create and update share. */
export const fields = (command: Command): Command =>
  command
    .option("--description <text>", "in Markdown; - reads standard input")
    .option("--state <name>", "a state of the team, or a type of state such as started")
    .addOption(new Option("--priority <word>", "how urgent").choices(PRIORITIES))
    .option("--assignee <who>", "name, e-mail address, me or none; an agent becomes the delegate")
    .option("--label <name>", "a label; several: the option again", gathered)
    .option("--project <name>", "a project, or none")
    .option("--parent <issue>", "the issue it is a part of, or none")
    .addOption(new Option("--estimate <points>", "how big").argParser(wholeNumber(0, 1000)))
    .addOption(new Option("--due <date>", "the day by which, as 2026-01-31, or none").argParser(day));

function day(text: string): string {
  if (text === "none" || (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)))) return text;
  throw new InvalidArgumentError("It is a day such as 2026-01-31, or none.");
}

const real = (text: string | undefined): string | undefined => (text === "none" ? undefined : text);

/** The input of issueCreate or issueUpdate; names become ids, with one request at most. */
export async function inputOf(who: Worker, options: FieldOptions, where: Pick<Names, "issue" | "team" | "someTeam">) {
  const { label = [], addLabel = [], removeLabel = [], state } = options;
  const labels = [...label, ...addLabel, ...removeLabel];
  const needsTeam = state !== undefined || labels.length > 0;
  const names = {
    ...where,
    issue: needsTeam ? where.issue : undefined,
    user: real(options.assignee),
    project: real(options.project),
    labels,
  };
  const found = await findNames(who, names);
  const idsOf = (texts: string[] | undefined) => texts?.map((text) => String(found.labels.get(text)));
  const input = {
    ...(await plainFields(options)),
    ...assignment(options.assignee, found),
    teamId: where.issue === undefined ? found.team?.id : undefined,
    stateId: state === undefined ? undefined : stateOf(found.team, state),
    projectId: options.project === "none" ? null : found.project?.id,
    labelIds: idsOf(options.label),
    addedLabelIds: idsOf(options.addLabel),
    removedLabelIds: idsOf(options.removeLabel),
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

async function plainFields({ description, priority, estimate, due, parent }: FieldOptions) {
  return {
    description: description === undefined ? undefined : await textOrStdin(description),
    priority: priority && PRIORITIES.indexOf(priority),
    estimate,
    dueDate: due === "none" ? null : due,
    parentId: parent === "none" ? null : parent,
  };
}

function assignment(text: string | undefined, { user }: Found) {
  if (text === "none") return { assigneeId: null, delegateId: null };
  if (!user) return {};
  return user.app ? { delegateId: user.id } : { assigneeId: user.id };
}
