import { z } from "zod";
import { BUILT_IN_KINDS, findPatternFault } from "../../../redaction/index.ts";
import { nullable } from "../../read/entity.ts";
import { dateSchema } from "../fields.ts";

const [MOST_PATTERNS, PATTERN_CHARS] = [20, 200];

const pattern = z.strictObject({
  name: z
    .string()
    .regex(
      /^(?=.{2,40}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
      "must be 2 to 40 lower-case letters and digits, in words joined by hyphens",
    )
    .refine((name) => !BUILT_IN_KINDS.has(name), "is the name of a built-in rule; choose another"),
  pattern: z
    .string()
    .max(PATTERN_CHARS, `must be at most ${PATTERN_CHARS} characters`)
    .superRefine((value, { addIssue }) => {
      const message = findPatternFault(value);
      if (message) addIssue({ code: "custom", message });
    }),
});

/** Redaction settings in an organization's input. */
export const REDACTION_INPUT = {
  redactionEnabled: z.boolean().nullish(),
  redactionEntropy: z.boolean().nullish(),
  redactionPersonalData: z.boolean().nullish(),
  redactionPatterns: z
    .array(pattern)
    .max(MOST_PATTERNS, `must be at most ${MOST_PATTERNS} patterns`)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, "must have different names")
    .nullish(),
};

/** Columns of the redaction settings. */
export const REDACTION_COLUMNS = {
  redactionEnabled: "boolean",
  redactionEntropy: "boolean",
  redactionPersonalData: "boolean",
  redactionPatterns: "json",
} as const;

const [MOST_AGENTS, MOST_DAYS, AGENT_CHARS] = [50, 36_500, 256];

const days = z.number().int().min(1, "must be at least 1 day").max(MOST_DAYS, `must be at most ${MOST_DAYS} days`);

const agent = z.strictObject({
  agent: z.string().trim().min(1, "must not be empty").max(AGENT_CHARS, `must be at most ${AGENT_CHARS} characters`),
  sessionDays: days.nullish(),
  textDays: days.nullish(),
});

/** Retention settings in an organization's input, in days. Null means no limit. */
export const RETENTION_INPUT = {
  retentionSessionDays: days.nullish(),
  retentionTextDays: days.nullish(),
  retentionAgents: z
    .array(agent)
    .max(MOST_AGENTS, `must be at most ${MOST_AGENTS} agents`)
    .refine((all) => new Set(all.map((each) => each.agent)).size === all.length, "must have different agents")
    .nullish(),
};

/** Columns of the retention settings. */
export const RETENTION_COLUMNS = {
  retentionSessionDays: nullable("integer"),
  retentionTextDays: nullable("integer"),
  retentionAgents: "json",
} as const;

const [MOST_PRICES, MODEL_CHARS, MOST_DOLLARS] = [100, 200, 100_000];

const rate = z.number().min(0, "must not be negative").max(MOST_DOLLARS, `must be at most ${MOST_DOLLARS} dollars`);

const price = z.strictObject({
  model: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(MODEL_CHARS, `must be at most ${MODEL_CHARS} characters`)
    .regex(/^[^*]*(?:\*[^*]+){0,8}\*?$/, "may hold at most 8 asterisks, none beside another"),
  input: rate,
  output: rate,
  cacheRead: rate.nullish(),
  cacheWrite: rate.nullish(),
  from: dateSchema,
});

/** Price settings in an organization's input: the organization's own prices, and whether prices are enabled. */
export const PRICES_INPUT = {
  pricesEnabled: z.boolean().nullish(),
  ownPrices: z
    .array(price)
    .max(MOST_PRICES, `must be at most ${MOST_PRICES} prices`)
    .refine(
      (all) => new Set(all.map(({ model, from }) => `${from} ${model.toLowerCase()}`)).size === all.length,
      "must differ in model or day",
    )
    .nullish(),
};

/** Columns of the price settings. */
export const PRICES_COLUMNS = { pricesEnabled: "boolean", ownPrices: "json" } as const;
