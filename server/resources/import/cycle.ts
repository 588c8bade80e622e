import { newId } from "../../id.ts";
import { create } from "../../write/change.ts";
import { type Batch, type Outcome, teamNamed, within } from "./batch.ts";
import type { RowOf } from "./input.ts";

/** Imports a cycle under the number it has, unless the team has one of that number. */
export function importCycle({ write, cycles, ...batch }: Batch, fields: RowOf<"cycle">): Outcome {
  const team = teamNamed({ write, cycles, ...batch }, fields.team);
  const key = within(team.id, fields.number);
  const there = cycles.get(key);
  if (there) return { status: "exists", entityId: there };
  const { number, name, description, startsAt, endsAt, completedAt, archivedAt } = fields;
  const id = newId();
  const more = { name, description, completedAt, archivedAt };
  create(write, "Cycle", { id, teamId: team.id, number, startsAt, endsAt, ...more });
  team.cycleCounter = Math.max(team.cycleCounter, number);
  cycles.set(key, id);
  return { status: "created", entityId: id };
}
