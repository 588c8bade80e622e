import { z } from "zod";
import { id, longText, moment, name, reference } from "../fields.ts";

const fields = { name: name.nullish(), description: longText.nullish(), completedAt: moment.nullish() };

/** The input of a new cycle. */
export const CycleCreateInput = z.strictObject({
  ...fields,
  id: id.nullish(),
  teamId: reference,
  startsAt: moment,
  endsAt: moment,
});
export type CycleCreate = z.infer<typeof CycleCreateInput>;

/** The input of a change of a cycle. */
export const CycleUpdateInput = z.strictObject({ ...fields, startsAt: moment.nullish(), endsAt: moment.nullish() });
export type CycleUpdate = z.infer<typeof CycleUpdateInput>;
