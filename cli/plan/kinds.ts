import { Option } from "commander";
import type { PlanEntityKind } from "../api/planned.ts";
import { parseAbsoluteTimeOption, parseDayOption } from "../options.ts";
import { toOneLine } from "../output/print.ts";
import { createTeamOption } from "../work/filter.ts";

/** An option of a planning command such as `trackway project create`, with the corresponding input field of the API. */
interface Field {
  option: Option;
  input: string;
  /** Kind of entity that the option's value names. `isList` is true if the input field is a list of ids. */
  names?: "team" | "user" | "project" | "status";
  isList?: true;
  /** True if the option exists only for `create` and not for `edit`. */
  once?: true;
  /** True for an option that is required to create an entity. */
  isNeeded?: true;
}

/** Describes the commands for one kind of planning entity, such as `trackway cycle`. */
export interface PlanEntityDefinition {
  description: string;
  /** Description of the argument of `create` and `edit`. */
  named: string;
  fields: Field[];
  /**
   * Option that limits a list to one team or project. The same option selects one of several entities with the same
   * name.
   */
  within?: "team" | "project";
  /** True if an entity needs no name. */
  nameless?: true;
  example: { create: string; edit: string };
}

const createTextField = (flags: string, description: string, input: string): Field => ({
  option: new Option(flags, description),
  input,
});
const createParsedField = (
  flags: string,
  description: string,
  input: string,
  parse: (value: string) => string,
): Field => ({
  option: new Option(flags, description).argParser(parse),
  input,
});
const createDescriptionField = () => createTextField("--description <text>", "description in Markdown", "description");

/**
 * Returns all kinds of planning entities with their options. To add a kind, add an entry here and in
 * cli/api/planned.ts.
 */
export const createPlanEntityDefinitions = (): Record<PlanEntityKind, PlanEntityDefinition> => ({
  team: {
    description: "create, list and change teams",
    named: "name of the team",
    fields: [
      createTextField("--key <key>", "prefix of its issues' identifiers, such as ENG", "key"),
      createDescriptionField(),
    ],
    example: { create: "create Platform --key PLAT", edit: 'edit ENG --description "Everything that runs."' },
  },
  label: {
    description: "create, list and change labels",
    named: "name of the label",
    fields: [
      {
        ...createTextField("--team <key>", "team of the label; without a team, the label is for all teams", "teamId"),
        names: "team",
        once: true,
      },
      createTextField("--color <rrggbb>", "color, such as #26b5ce", "color"),
      createDescriptionField(),
    ],
    within: "team",
    example: { create: "create regression", edit: 'edit bug --color "#d1495b"' },
  },
  project: {
    description: "create, list and change projects",
    named: "name of the project",
    fields: [
      {
        option: createTeamOption("team of the project"),
        input: "teamIds",
        names: "team",
        isList: true,
        once: true,
        isNeeded: true,
      },
      createDescriptionField(),
      {
        ...createTextField("--lead <who>", "lead of the project: name, email address, me or none", "leadId"),
        names: "user",
      },
      {
        ...createTextField(
          "--status <name>",
          "status, by name or type: planned, started, paused, completed, canceled",
          "statusId",
        ),
        names: "status",
      },
      createParsedField(
        "--start <date>",
        "planned start date, such as 2026-01-31, or none",
        "startDate",
        parseDayOption,
      ),
      createParsedField("--target <date>", "target date, or none", "targetDate", parseDayOption),
    ],
    within: "team",
    example: { create: "create Apollo --lead me --target 2027-03-31", edit: "edit Launch --target none" },
  },
  cycle: {
    description: "create, list and change cycles",
    named: "name or number of the cycle, or current, next or previous",
    nameless: true,
    fields: [
      { option: createTeamOption("team of the cycle"), input: "teamId", names: "team", once: true, isNeeded: true },
      {
        ...createParsedField("--starts <date>", "start date, such as 2026-01-31", "startsAt", parseAbsoluteTimeOption),
        isNeeded: true,
      },
      {
        ...createParsedField("--ends <date>", "end date, such as 2026-02-14", "endsAt", parseAbsoluteTimeOption),
        isNeeded: true,
      },
      createDescriptionField(),
    ],
    within: "team",
    example: {
      create: "create --starts 2027-01-04 --ends 2027-01-18",
      edit: 'edit current --name "Sprint of the year"',
    },
  },
  milestone: {
    description: "create, list and change milestones of projects",
    named: "name of the milestone",
    fields: [
      {
        ...createTextField("--project <name>", "project of the milestone", "projectId"),
        names: "project",
        once: true,
        isNeeded: true,
      },
      createParsedField("--target <date>", "target date, or none", "targetDate", parseDayOption),
    ],
    within: "project",
    example: { create: "create Beta --project Launch", edit: "edit Alpha --target 2027-02-28" },
  },
});

/** Fields of an entity of any kind in a response. */
export interface PlanNode {
  id: string;
  name: string | null;
  key: string;
  number: number;
  team: { key: string } | null;
  project: { name: string };
  lead: { name: string } | null;
  color: string;
  state: string;
  description: string | null;
  startDate: string | null;
  targetDate: string | null;
  startsAt: string;
  endsAt: string;
  isActive: boolean;
  progress: number;
  url: string;
}

/**
 * Functions that convert an entity to JSON, by the kind of the entity. docs/cli.md describes the stable JSON format.
 */
export const ROW_CONVERTERS: Readonly<Record<PlanEntityKind, (node: PlanNode) => Record<string, unknown>>> = {
  team: ({ id, name, key, description }) => ({ id, name, key, description }),
  label: ({ id, name, team, color, description }) => ({ id, name, team: team?.key ?? null, color, description }),
  project: ({ id, name, state, lead, startDate, targetDate, progress, url }) => {
    return { id, name, state, lead: lead?.name ?? null, start: startDate, target: targetDate, progress, url };
  },
  cycle: ({ id, name, number, team, startsAt, endsAt, isActive, progress }) => {
    return { id, name, number, team: team?.key, starts: startsAt, ends: endsAt, active: isActive, progress };
  },
  milestone: ({ id, name, project, targetDate }) => ({ id, name, project: project.name, target: targetDate }),
};

/** Returns an entity as one line with the name and all other values. */
export function formatRow({ id, name, url: _, ...facts }: Record<string, unknown>): string {
  const said = Object.entries(facts).filter(([, value]) => value !== null && value !== false && value !== "");
  const texts = said.map(([field, value]) => (value === true ? field : `${field} ${shown(field, value)}`));
  return `${name === null ? "" : `${toOneLine(String(name ?? id), 80)} `}${toOneLine(texts.join(", "), 200)}`.trim();
}

function shown(field: string, value: unknown): string {
  if (field === "progress") return `${Math.round(Number(value) * 100)} %`;
  return field === "starts" || field === "ends" ? String(value).slice(0, 10) : String(value);
}
