import type { PlannedName } from "../api/planned.ts";
import { oneLine } from "../output/safe.ts";

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
