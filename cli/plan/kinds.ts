import { Option } from "commander";
import type { PlannedName } from "../api/planned.ts";
import { date, day } from "../options.ts";
import { oneLine } from "../output/print.ts";
import { teamOption } from "../work/filter.ts";

/** An option of a kind, and the input of the API that it becomes. */
interface Field {
  option: Option;
  input: string;
  /** The kind of thing that its value names; a list of them where several could be named. */
  names?: "team" | "user" | "project" | "status";
  isList?: true;
  /** Said once, when one is made. */
  once?: true;
  /** One cannot be made without it. */
  isNeeded?: true;
}

/** A kind of thing that work is planned by, as the command line has it. */
export interface Kind {
  description: string;
  /** The description of the argument of `create` and `edit`. */
  named: string;
  fields: Field[];
  /** The option that narrows its list, and tells those of one name apart. */
  within?: "team" | "project";
  /** One may be without a name. */
  nameless?: true;
  example: { create: string; edit: string };
}

const text = (flags: string, description: string, input: string): Field => ({
  option: new Option(flags, description),
  input,
});
const of = (flags: string, description: string, input: string, parse: (value: string) => string): Field => ({
  option: new Option(flags, description).argParser(parse),
  input,
});
const about = () => text("--description <text>", "in Markdown", "description");

/** Every kind with its fields. A kind is an entry here, and one of cli/api/planned.ts. */
export const kindsOf = (): Record<PlannedName, Kind> => ({
  team: {
    description: "make, list and change teams",
    named: "name of the team",
    fields: [text("--key <key>", "prefix of its issues' identifiers, such as ENG", "key"), about()],
    example: { create: "create Platform --key PLAT", edit: 'edit ENG --description "Everything that runs."' },
  },
  label: {
    description: "make, list and change labels",
    named: "name of the label",
    fields: [
      { ...text("--team <key>", "of this team alone; else of all", "teamId"), names: "team", once: true },
      text("--color <rrggbb>", "as #26b5ce", "color"),
      about(),
    ],
    within: "team",
    example: { create: "create regression", edit: 'edit bug --color "#d1495b"' },
  },
  project: {
    description: "make, list and change projects",
    named: "name of the project",
    fields: [
      { option: teamOption("whose it is"), input: "teamIds", names: "team", isList: true, once: true, isNeeded: true },
      about(),
      { ...text("--lead <who>", "who leads it: name, e-mail address, me or none", "leadId"), names: "user" },
      {
        ...text(
          "--status <name>",
          "its status, by name or type: planned, started, paused, completed, canceled",
          "statusId",
        ),
        names: "status",
      },
      of("--start <date>", "planned first day, as 2026-01-31, or none", "startDate", day),
      of("--target <date>", "planned last day, or none", "targetDate", day),
    ],
    within: "team",
    example: { create: "create Apollo --lead me --target 2027-03-31", edit: "edit Launch --target none" },
  },
  cycle: {
    description: "make, list and change cycles",
    named: "its name; current, next, previous or a number names one too",
    nameless: true,
    fields: [
      { option: teamOption("whose it is"), input: "teamId", names: "team", once: true, isNeeded: true },
      { ...of("--starts <date>", "first day, as 2026-01-31", "startsAt", date), isNeeded: true },
      { ...of("--ends <date>", "its end, as 2026-02-14", "endsAt", date), isNeeded: true },
      about(),
    ],
    within: "team",
    example: {
      create: "create --starts 2027-01-04 --ends 2027-01-18",
      edit: 'edit current --name "Sprint of the year"',
    },
  },
  milestone: {
    description: "make, list and change milestones of projects",
    named: "name of the milestone",
    fields: [
      { ...text("--project <name>", "whose stage it is", "projectId"), names: "project", once: true, isNeeded: true },
      of("--target <date>", "the day by which it is to be reached, or none", "targetDate", day),
    ],
    within: "project",
    example: { create: "create Beta --project Launch", edit: "edit Alpha --target 2027-02-28" },
  },
});

/** One of any kind, as the documents ask for it. */
export interface Node {
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

/** Each kind as JSON. Part of the interface: docs/cli.md. */
export const ROWS: Readonly<Record<PlannedName, (node: Node) => Record<string, unknown>>> = {
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

/** One of any kind in one line: its name, and whatever else there is to say. */
export function rowLine({ id, name, url: _, ...facts }: Record<string, unknown>): string {
  const said = Object.entries(facts).filter(([, value]) => value !== null && value !== false && value !== "");
  const texts = said.map(([field, value]) => (value === true ? field : `${field} ${shown(field, value)}`));
  return `${name === null ? "" : `${oneLine(String(name ?? id), 80)} `}${oneLine(texts.join(", "), 200)}`.trim();
}

function shown(field: string, value: unknown): string {
  if (field === "progress") return `${Math.round(Number(value) * 100)} %`;
  return field === "starts" || field === "ends" ? String(value).slice(0, 10) : String(value);
}
