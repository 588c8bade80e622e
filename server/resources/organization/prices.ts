import { z } from "zod";

const [MOST_PRICES, MOST_CHARS, MOST_DOLLARS] = [100, 200, 100_000];

const rate = z.number().min(0, "must not be negative").max(MOST_DOLLARS, `must be at most ${MOST_DOLLARS} dollars`);

const price = z.strictObject({
  model: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(MOST_CHARS, `must be at most ${MOST_CHARS} characters`)
    .regex(/^[^*]*(?:\*[^*]+){0,8}\*?$/, "may hold at most 8 asterisks, none beside another"),
  input: rate,
  output: rate,
  cacheRead: rate.nullish(),
  cacheWrite: rate.nullish(),
  from: z.iso.date("must be a day, such as 2026-01-31"),
});

/** The prices of an organization's own, and their switch, in its input. */
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

/** Columns of an organization that hold them. */
export const PRICES_COLUMNS = { pricesEnabled: "boolean", ownPrices: "json" } as const;
