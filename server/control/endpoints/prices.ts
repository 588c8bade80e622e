import { z } from "zod";
import { listPrices } from "../../prices/rates.ts";
import { route } from "../route.ts";

/** Prices of one answer: a search narrows them. */
const MOST = 50;

const dollars = z.number();

const list = route({
  method: "get",
  path: "/api/prices",
  tag: "Organization",
  summary: "Find list prices of models",
  description:
    "The table that comes with the server, by which costs are computed where the organization has no price of its own. US dollars for a million tokens, as they are today.",
  access: "member",
  query: z.strictObject({
    search: z.string().max(100).optional().describe("Only models whose name holds this, in any case."),
  }),
  replies: {
    200: z.object({
      prices: z.array(
        z.object({
          model: z.string(),
          input: dollars,
          output: dollars.nullable().describe("Null where it costs what input does; so for a cache."),
          cacheRead: dollars.nullable(),
          cacheWrite: dollars.nullable(),
          tiered: z.boolean().describe("Long prompts cost more than this."),
        }),
      ),
      total: z.int().describe(`The number of models that fit; the first ${MOST} are in the answer.`),
    }),
  },
  run: async ({ query: { search = "" } }) => listPrices(search, Date.now(), MOST),
});

/** Routes of what models cost. */
export const priceRoutes = [list];
