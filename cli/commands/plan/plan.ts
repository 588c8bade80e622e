import { Command, Option } from "commander";
import { getOwnProperty } from "../../../formats/own.ts";
import {
  PLAN_CREATE_DOCUMENTS,
  PLAN_LIST_DOCUMENTS,
  PLAN_UPDATE_DOCUMENTS,
  type PlanEntityKind,
  STATUS_DOCUMENTS,
} from "../../api/planned.ts";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { addJsonOption, addPageOptions, type OutputOptions, type PageOptions } from "../../options.ts";
import { printResult } from "../../output/print.ts";
import {
  createPlanEntityDefinitions,
  formatRow,
  type PlanEntityDefinition,
  type PlanNode,
  ROW_CONVERTERS,
} from "../../plan/kinds.ts";
import { type CommandContext, createCommandContext } from "../../work/caller.ts";
import { formatPage, type GraphqlPage, readNextCursor } from "../../work/issue.ts";
import {
  buildNameFilter,
  type FoundEntities,
  findEntitiesByName,
  findStateId,
  findUniqueNode,
  type StateNode,
} from "../../work/names.ts";

type Given = OutputOptions & Record<string, string | undefined>;

/** `trackway team`, `label`, `project`, `cycle` and `milestone`: create, list and change entities for planning. */
export function createPlanCommand(name: PlanEntityKind): Command {
  const kind = createPlanEntityDefinitions()[name];
  return new Command(name)
    .description(kind.description)
    .addCommand(createCommand(name, kind))
    .addCommand(listCommand(name, kind), { isDefault: true })
    .addCommand(editCommand(name, kind))
    .addHelpText("after", `\nExamples:\n  trackway ${name} ${kind.example.create}\n  trackway ${name} list\n`);
}

const example = (name: string, line: string) => `\nExample:\n  trackway ${name} ${line}\n`;

function createCommand(name: PlanEntityKind, kind: PlanEntityDefinition): Command {
  const command = addJsonOption(new Command("create").description(`create a ${name}`))
    .argument(kind.nameless ? "[name]" : "<name>", kind.named)
    .addHelpText("after", example(name, kind.example.create))
    .action(async (called: string | undefined, options: Given) => {
      const who = await createCommandContext();
      const { input } = await inputOf(who, kind, options);
      await write(
        who,
        name,
        PLAN_CREATE_DOCUMENTS[name],
        { input: { ...input, ...(called !== undefined && { name: called }) } },
        options,
      );
    });
  for (const { option } of kind.fields) command.addOption(option);
  return command;
}

function editCommand(name: PlanEntityKind, kind: PlanEntityDefinition): Command {
  const command = addJsonOption(new Command("edit").description(`change a ${name}`))
    .argument("<name>", `${kind.named}, or its id`)
    .option("--name <text>", "new name")
    .addHelpText("after", example(name, kind.example.edit))
    .action(async (text: string, options: Given) => {
      const who = await createCommandContext();
      const { input, found } = await inputOf(who, kind, options, { name, text });
      const changes = { ...input, ...(options["name"] !== undefined && { name: options["name"] }) };
      if (Object.keys(changes).length === 0)
        throw new CommandFailure("No changes were given.", {
          exit: EXIT_CODES.usage,
          cure: `trackway ${name} edit --help`,
        });
      const id = await idOf(who, name, text, found);
      await write(who, name, PLAN_UPDATE_DOCUMENTS[name], { id, input: changes }, options);
    });
  for (const { option, once } of kind.fields) if (!once) command.addOption(option);
  if (kind.within) command.addOption(withinOption(kind.within));
  return command;
}

function listCommand(name: PlanEntityKind, kind: PlanEntityDefinition): Command {
  const command = addJsonOption(addPageOptions(new Command("list").description(`list ${name}s, the newest first`)))
    .addHelpText("after", example(name, "list"))
    .action(async ({ json, limit, after, ...options }: PageOptions & Given) => {
      const who = await createCommandContext();
      const filter = await filterOf(who, kind, options);
      const { page } = await who.ask<{ page: GraphqlPage<PlanNode> }>(PLAN_LIST_DOCUMENTS[name], {
        filter,
        first: limit,
        after,
      });
      const rows = page.nodes.map(ROW_CONVERTERS[name]);
      printResult(json, { [`${name}s`]: rows, next: readNextCursor(page) }, () =>
        formatPage({ ...page, nodes: rows }, formatRow, `No ${name}s yet.`),
      );
    });
  if (kind.within) command.addOption(withinOption(kind.within));
  return command;
}

const withinOption = (within: "team" | "project"): Option =>
  within === "team"
    ? new Option("--team <key>", "only in this team")
    : new Option("--project <name>", "only in this project");

/**
 * Returns the filter for a list, or an empty filter if the user gave no team or project. A project can belong to
 * several teams, so projects are filtered by `accessibleTeams`. Other entities belong to at most one team or project.
 */
async function filterOf(
  who: CommandContext,
  { within, fields }: PlanEntityDefinition,
  options: Given,
): Promise<object> {
  const text = within && options[within];
  if (!within || text === undefined) return {};
  await findEntitiesByName(who, { [within]: text });
  const isOfMany = fields.some(({ isList }) => isList);
  return isOfMany
    ? { accessibleTeams: { some: buildNameFilter("team", text) } }
    : { [within]: buildNameFilter(within, text) };
}

/**
 * Builds the input of a mutation from options. Looks up all names with one request at most, and statuses with a second
 * request.
 */
async function inputOf(who: CommandContext, kind: PlanEntityDefinition, options: Given, edited?: Edited) {
  const given = kind.fields
    .filter(({ once }) => !edited || !once)
    .map((field) => ({ ...field, text: getOwnProperty(options, field.option.attributeName()) }));
  if (!edited)
    for (const { option, isNeeded, names, text } of given)
      if (isNeeded && names !== "team" && text === undefined)
        throw new CommandFailure(`${option.long} is missing.`, { exit: EXIT_CODES.usage, cure: option.flags });
  const named = (name: string) => {
    const text = given.find(({ names }) => names === name)?.text;
    return text === "none" ? undefined : text;
  };
  const needsTeam = !edited && given.some(({ isNeeded, names }) => isNeeded && names === "team");
  const found = await findEntitiesByName(who, {
    team: named("team") ?? (needsTeam ? who.team : undefined),
    someTeam: needsTeam,
    ...{ user: named("user"), project: named("project") },
    ...(edited && namesOf(who, kind, options, edited)),
  });
  const status = named("status");
  const ids = {
    ...{ team: found.team?.id, user: found.user?.id, project: found.project?.id },
    status: status === undefined ? undefined : await statusOf(who, status),
  };
  const input = given.flatMap(({ input, names, isList, text }): [string, unknown][] => {
    const value = text === "none" ? null : names ? ids[names] : text;
    return value === undefined ? [] : [[input, isList ? [value] : value]];
  });
  return { input: Object.fromEntries(input) as Record<string, unknown>, found };
}

interface Edited {
  name: PlanEntityKind;
  text: string;
}

/** Returns the names that identify the entity to edit: the entity's own name and, if known, its team or project. */
function namesOf(
  who: CommandContext,
  { within }: PlanEntityDefinition,
  options: Given,
  { name, text }: Edited,
): object {
  const scope = within && (options[within] ?? (name === "cycle" ? who.team : undefined));
  const own = name === "label" ? { labels: [text] } : { [name]: text };
  return name === within || scope === undefined ? own : { ...own, [String(within)]: scope };
}

/**
 * Returns the id of the project status with the given name. If the given text is a type of status, returns the id of
 * the first status of that type.
 */
async function statusOf(who: CommandContext, text: string): Promise<string> {
  const { projectStatuses } = await who.ask<{ projectStatuses: { nodes: StateNode[] } }>(STATUS_DOCUMENTS.statuses);
  return findStateId(projectStatuses.nodes, text, `There is no status "${text}".`);
}

async function idOf(who: CommandContext, name: PlanEntityKind, text: string, found: FoundEntities): Promise<string> {
  if (name === "label") return String(found.labels.get(text));
  if (name === "cycle" || name === "milestone")
    return (await findUniqueNode<{ id: string }>(who, name, text, found.several[name] ?? [])).id;
  return String(found[name]?.id);
}

async function write(
  who: CommandContext,
  name: PlanEntityKind,
  document: string,
  variables: object,
  { json }: OutputOptions,
) {
  const { done } = await who.ask<{ done: { node: PlanNode } }>(document, { ...variables });
  const row = ROW_CONVERTERS[name](done.node);
  printResult(json, { [name]: row }, () => [`${"id" in variables ? "Changed" : "Created"} ${name} ${formatRow(row)}`]);
}
