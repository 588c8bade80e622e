import { Command, Option } from "commander";
import { readOwn } from "../../../formats/own.ts";
import { CREATE, EDIT, LIST, PLAN, type PlannedName } from "../../api/planned.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Answering, type Paged, paged, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { type Kind, kindsOf, type Node, ROWS, rowLine } from "../../plan/kinds.ts";
import { type Worker, worker } from "../../work/caller.ts";
import { listLines, nextOf, type Page } from "../../work/issue.ts";
import { called, type Found, findNames, type State, stateIn, theOne } from "../../work/names.ts";

type Given = Answering & Record<string, string | undefined>;

/** `trackway team`, `label`, `project`, `cycle` and `milestone`: make, list and change what work is planned by. */
export function planCommand(name: PlannedName): Command {
  const kind = kindsOf()[name];
  return new Command(name)
    .description(kind.description)
    .addCommand(createCommand(name, kind))
    .addCommand(listCommand(name, kind), { isDefault: true })
    .addCommand(editCommand(name, kind))
    .addHelpText("after", `\nExamples:\n  trackway ${name} ${kind.example.create}\n  trackway ${name} list\n`);
}

const example = (name: string, line: string) => `\nExample:\n  trackway ${name} ${line}\n`;

function createCommand(name: PlannedName, kind: Kind): Command {
  const command = withJson(new Command("create").description(`make a ${name}`))
    .argument(kind.nameless ? "[name]" : "<name>", kind.named)
    .addHelpText("after", example(name, kind.example.create))
    .action(async (called: string | undefined, options: Given) => {
      const who = await worker();
      const { input } = await inputOf(who, kind, options);
      await write(
        who,
        name,
        CREATE[name],
        { input: { ...input, ...(called !== undefined && { name: called }) } },
        options,
      );
    });
  for (const { option } of kind.fields) command.addOption(option);
  return command;
}

function editCommand(name: PlannedName, kind: Kind): Command {
  const command = withJson(new Command("edit").description(`change a ${name}`))
    .argument("<name>", `${kind.named}, or its id`)
    .option("--name <text>", "its new name")
    .addHelpText("after", example(name, kind.example.edit))
    .action(async (text: string, options: Given) => {
      const who = await worker();
      const { input, found } = await inputOf(who, kind, options, { name, text });
      const changes = { ...input, ...(options["name"] !== undefined && { name: options["name"] }) };
      if (Object.keys(changes).length === 0)
        throw new Failure("Nothing is to be changed.", { exit: EXIT.usage, cure: `trackway ${name} edit --help` });
      const id = await idOf(who, name, text, found);
      await write(who, name, EDIT[name], { id, input: changes }, options);
    });
  for (const { option, once } of kind.fields) if (!once) command.addOption(option);
  if (kind.within) command.addOption(withinOption(kind.within));
  return command;
}

function listCommand(name: PlannedName, kind: Kind): Command {
  const command = withJson(paged(new Command("list").description(`list ${name}s, the newest first`)))
    .addHelpText("after", example(name, "list"))
    .action(async ({ json, limit, after, ...options }: Paged & Given) => {
      const who = await worker();
      const filter = await filterOf(who, kind, options);
      const { page } = await who.ask<{ page: Page<Node> }>(LIST[name], { filter, first: limit, after });
      const rows = page.nodes.map(ROWS[name]);
      answer(json, { [`${name}s`]: rows, next: nextOf(page) }, () =>
        listLines({ ...page, nodes: rows }, rowLine, `There is no ${name} yet.`),
      );
    });
  if (kind.within) command.addOption(withinOption(kind.within));
  return command;
}

const withinOption = (within: "team" | "project"): Option =>
  within === "team"
    ? new Option("--team <key>", "only of this team")
    : new Option("--project <name>", "only of this project");

/** The filter of a list. A project has several teams; anything else has one. */
async function filterOf(who: Worker, { within, fields }: Kind, options: Given): Promise<object> {
  const text = within && options[within];
  if (!within || text === undefined) return {};
  await findNames(who, { [within]: text });
  const isOfMany = fields.some(({ isList }) => isList);
  return isOfMany ? { accessibleTeams: { some: called("team", text) } } : { [within]: called(within, text) };
}

/** The input that options become; everything that they name is looked up with one request at most. */
async function inputOf(who: Worker, kind: Kind, options: Given, edited?: Edited) {
  const given = kind.fields
    .filter(({ once }) => !edited || !once)
    .map((field) => ({ ...field, text: readOwn(options, field.option.attributeName()) }));
  if (!edited)
    for (const { option, isNeeded, names, text } of given)
      if (isNeeded && names !== "team" && text === undefined)
        throw new Failure(`${option.long} is missing.`, { exit: EXIT.usage, cure: option.flags });
  const named = (name: string) => {
    const text = given.find(({ names }) => names === name)?.text;
    return text === "none" ? undefined : text;
  };
  const needsTeam = !edited && given.some(({ isNeeded, names }) => isNeeded && names === "team");
  const found = await findNames(who, {
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
  name: PlannedName;
  text: string;
}

/** The names by which the one that is edited is looked up. */
function namesOf(who: Worker, { within }: Kind, options: Given, { name, text }: Edited): object {
  const scope = within && (options[within] ?? (name === "cycle" ? who.team : undefined));
  const own = name === "label" ? { labels: [text] } : { [name]: text };
  return name === within || scope === undefined ? own : { ...own, [String(within)]: scope };
}

/** The id of a project's status by its name, or of the first of a type. */
async function statusOf(who: Worker, text: string): Promise<string> {
  const { projectStatuses } = await who.ask<{ projectStatuses: { nodes: State[] } }>(PLAN.statuses);
  return stateIn(projectStatuses.nodes, text, `There is no status "${text}".`);
}

async function idOf(who: Worker, name: PlannedName, text: string, found: Found): Promise<string> {
  if (name === "label") return String(found.labels.get(text));
  if (name === "cycle" || name === "milestone")
    return (await theOne<{ id: string }>(who, name, text, found.several[name] ?? [])).id;
  return String(found[name]?.id);
}

async function write(who: Worker, name: PlannedName, document: string, variables: object, { json }: Answering) {
  const { done } = await who.ask<{ done: { node: Node } }>(document, { ...variables });
  const row = ROWS[name](done.node);
  answer(json, { [name]: row }, () => [`${"id" in variables ? "Changed" : "Created"} ${name} ${rowLine(row)}`]);
}
