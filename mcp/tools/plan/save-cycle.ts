import { z } from "zod";
import { parseDay } from "../../arguments/dates.ts";
import { needed, resolverOf, save } from "../../arguments/save.ts";
import { PLAN } from "../../documents/plan.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { type CycleNode, cycleRow, toCycleRow } from "./cycle-row.ts";

/** Creates a cycle, or changes one. */
export const saveCycle = defineTool({
  name: "save_cycle",
  title: "Save cycle",
  description: "Create a team's cycle, or change the one that cycle names. ends is the first day after it.",
  toolset: "plan",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({
    cycle: z.string().optional().describe("number, name or current"),
    team: z.string().optional(),
    name: z.string().min(1).optional(),
    description: z.string().optional(),
    starts: z.string().optional().describe("ISO date or P7D"),
    ends: z.string().optional(),
  }),
  outputSchema: z.object({ cycle: cycleRow }),
  async handler({ cycle, team, name, description, starts, ends }, { graphql }) {
    const resolve = await resolverOf(graphql, { team, cycle });
    const teamId = team === undefined ? undefined : (await resolve.team()).id;
    const id = cycle === undefined ? undefined : (await resolve.cycle(teamId)).id;
    const moment = (parameter: string, text: string | undefined) =>
      text === undefined ? undefined : `${parseDay(parameter, text)}T00:00:00.000Z`;
    const values = {
      name,
      description,
      startsAt: moment("starts", id ? starts : needed("starts", starts)),
      endsAt: moment("ends", id ? ends : needed("ends", ends)),
      teamId: id ? undefined : needed("team", teamId),
    };
    const documents = { create: PLAN.createCycle, update: PLAN.updateCycle };
    return { cycle: toCycleRow(await save<CycleNode>(graphql, documents, id, values)) };
  },
});
