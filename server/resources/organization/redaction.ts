import { z } from "zod";
import { BUILT_IN_KINDS, patternFault } from "../../../redaction/index.ts";

const [MOST_PATTERNS, MOST_CHARS] = [20, 200];

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
    .max(MOST_CHARS, `must be at most ${MOST_CHARS} characters`)
    .superRefine((value, { addIssue }) => {
      const message = patternFault(value);
      if (message) addIssue({ code: "custom", message });
    }),
});

/** The switches of redaction in an organization's input. */
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

/** Columns of an organization that hold them. */
export const REDACTION_COLUMNS = {
  redactionEnabled: "boolean",
  redactionEntropy: "boolean",
  redactionPersonalData: "boolean",
  redactionPatterns: "json",
} as const;
