import { z } from "zod";
import { parseDemandedCommand } from "./line.ts";

const [MOST_COMMANDS, MOST_CHARS] = [10, 200];

const command = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(MOST_CHARS, `must be at most ${MOST_CHARS} characters`)
  .regex(/^[^\p{Cc}\p{Surrogate}`]*$/u, "must be one line without backquotes")
  .refine(
    (text) => parseDemandedCommand(text) !== undefined,
    "must be one plain command, such as npm test: no &&, ;, |, > or $, and no secret",
  );

/** Commands that must end with exit code 0. */
export const proofCommandsSchema = z
  .array(command)
  .max(MOST_COMMANDS, `must be at most ${MOST_COMMANDS} commands`)
  .transform((all) => [...new Set(all)]);

/** Demands of a team. */
export const ProofInput = z.strictObject({
  commands: proofCommandsSchema.nullish().transform((all) => all ?? []),
  commit: z.boolean().nullish().transform(Boolean),
  push: z.boolean().nullish().transform(Boolean),
  required: z.boolean().nullish().transform(Boolean),
});

/** Demands of a team as stored. */
export type TeamProof = z.infer<typeof ProofInput>;
