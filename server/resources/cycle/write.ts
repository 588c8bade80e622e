import { invalidInput } from "../../errors.ts";
import { newId } from "../../id.ts";
import { create, setInternal, update } from "../../write/change.ts";
import { detach } from "../../write/deletion/remove-for-good.ts";
import { target } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import { references } from "../../write/references.ts";
import type { Write } from "../../write/write.ts";
import { archive } from "../archive.ts";
import { kept } from "../fields.ts";
import type { CycleCreate, CycleUpdate } from "./input.ts";

/** Creates a cycle with the next number of its team. */
export const cycleCreate = idempotentById("Cycle", async (write: Write, input: CycleCreate) => {
  const { teamId: team } = await references(write, { teamId: ["Team", input.teamId] });
  checkSpan(input.startsAt, input.endsAt);
  const number = team.cycleCounter + 1;
  setInternal(write, "Team", team.id, { cycleCounter: number });
  const cycleId = input.id ?? newId();
  create(write, "Cycle", {
    id: cycleId,
    teamId: team.id,
    number,
    name: input.name ?? null,
    description: input.description ?? null,
    startsAt: input.startsAt,
    endsAt: input.endsAt,
    completedAt: input.completedAt ?? null,
  });
  return { id: cycleId };
});

/** Changes a cycle; what the input leaves out stays as it is. */
export async function cycleUpdate(write: Write, input: CycleUpdate, args: { id: string }) {
  const before = await target(write, "Cycle", args.id);
  checkSpan(input.startsAt ?? before.startsAt, input.endsAt ?? before.endsAt);
  update(write, "Cycle", before, { ...input, startsAt: kept(input.startsAt), endsAt: kept(input.endsAt) });
  return { id: before.id };
}

/** Archives a cycle and takes its issues out of it: nothing is planned for a cycle that no list shows. */
export async function cycleArchive(write: Write, args: { id: string }) {
  const before = await target(write, "Cycle", args.id);
  await detach(write, "Cycle", before);
  archive(write, "Cycle", before);
  return { id: before.id };
}

function checkSpan(startsAt: unknown, endsAt: unknown): void {
  if (Date.parse(String(endsAt)) > Date.parse(String(startsAt))) return;
  throw invalidInput([{ path: "input.endsAt", message: "must be after startsAt" }]);
}
