import { z } from "zod";
import { color, id, longText, name, reference } from "../fields.ts";
import { READY_STATE_TYPES } from "../issue/readiness.ts";

const key = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z][A-Z0-9]{0,6}$/, "must be a letter and up to six letters or digits, e.g. ENG");

const fields = {
  key: key.nullish(),
  description: longText.nullish(),
  color: color.nullish(),
  icon: name.nullish(),
  private: z
    .boolean()
    .refine((value) => !value, "there are no private teams: every member sees every team")
    .nullish(),
};

/** The input of a new team. */
export const TeamCreateInput = z.strictObject({ ...fields, id: id.nullish(), name });
export type TeamCreate = z.infer<typeof TeamCreateInput>;

const readyStateTypes = z
  .array(z.enum(READY_STATE_TYPES, `must be one of ${READY_STATE_TYPES.join(", ")}`))
  .min(1, "must name at least one")
  .max(READY_STATE_TYPES.length, "must name each once")
  .transform((types) => READY_STATE_TYPES.filter((type) => types.includes(type)));

/** The input of a change of a team. */
export const TeamUpdateInput = z.strictObject({
  ...fields,
  name: name.nullish(),
  defaultIssueStateId: reference.nullish(),
  readyStateTypes: readyStateTypes.nullish(),
});
export type TeamUpdate = z.infer<typeof TeamUpdateInput>;
