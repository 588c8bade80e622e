import { z } from "zod";
import { nullable } from "../../read/entity.ts";

const [MOST_AGENTS, MOST_DAYS, MOST_CHARS] = [50, 36_500, 256];

const days = z.number().int().min(1, "must be at least 1 day").max(MOST_DAYS, `must be at most ${MOST_DAYS} days`);

const agent = z.strictObject({
  agent: z.string().trim().min(1, "must not be empty").max(MOST_CHARS, `must be at most ${MOST_CHARS} characters`),
  sessionDays: days.nullish(),
  textDays: days.nullish(),
});

/** The days of retention in an organization's input; null is without an end of its own. */
export const RETENTION_INPUT = {
  retentionSessionDays: days.nullish(),
  retentionTextDays: days.nullish(),
  retentionAgents: z
    .array(agent)
    .max(MOST_AGENTS, `must be at most ${MOST_AGENTS} agents`)
    .refine((all) => new Set(all.map((each) => each.agent)).size === all.length, "must have different agents")
    .nullish(),
};

/** Columns of an organization that hold them. */
export const RETENTION_COLUMNS = {
  retentionSessionDays: nullable("integer"),
  retentionTextDays: nullable("integer"),
  retentionAgents: "json",
} as const;
