import { z } from "zod";
import { FILTERS } from "../../arguments/filters.ts";
import { type FoundNames, nameVariables } from "../../arguments/look-up-names.ts";
import { nameResolver } from "../../arguments/resolve-names.ts";
import { PLAN } from "../../documents/plan.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { type Connection, PAGE_ARGUMENTS, PAGE_RESULT, toPage } from "../../results/page.ts";
import { type CycleNode, cycleRow, toCycleRow } from "./cycle-row.ts";

const TIMES = { past: "isPast", current: "isActive", future: "isFuture" } as const;

/** The cycles, of the organization or of one team. */
export const listCycles = defineTool({
  name: "list_cycles",
  title: "List cycles",
  description: "List cycles, newest first.",
  toolset: "plan",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({
    team: z.string().optional(),
    time: z.enum(["past", "current", "future"]).optional(),
    ...PAGE_ARGUMENTS,
  }),
  outputSchema: z.object({ cycles: z.array(cycleRow), ...PAGE_RESULT }),
  async handler({ team, time, limit, cursor }, { graphql }) {
    const filter = {
      ...(team !== undefined && { team: FILTERS.team(team) }),
      ...(time && { [TIMES[time]]: { eq: true } }),
    };
    const variables = { filter, first: limit, after: cursor, ...nameVariables({ team }) };
    const data = await graphql<{ cycles: Connection<CycleNode> } & FoundNames>(PLAN.cycles, variables);
    if (team !== undefined) await nameResolver(graphql, { team }, data).team();
    const { rows, rest } = toPage(data.cycles, toCycleRow);
    return { cycles: rows, ...rest };
  },
});
