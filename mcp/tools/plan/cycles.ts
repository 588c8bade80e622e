import { z } from "zod";
import { ENTITY_FILTER_BUILDERS, parseDay } from "../../arguments/filters.ts";
import { buildNameVariables, createNameResolver, type NameLookupResult } from "../../arguments/names.ts";
import { PLAN_DOCUMENTS, SAVE_DOCUMENTS } from "../../documents/plan.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import {
  type GraphqlConnection,
  PAGE_ARGUMENT_SCHEMAS,
  PAGE_RESULT_SCHEMAS,
  toNonEmptyText,
  toPage,
} from "../../results.ts";
import { loadNameResolver, requireValue, saveObject } from "./save.ts";

/** Schema of a cycle in results. */
const cycleRow = z.object({
  number: z.number(),
  name: z.string().optional(),
  team: z.string(),
  starts: z.string(),
  ends: z.string(),
  current: z.boolean().optional(),
  progress: z.number().optional(),
});

/** A cycle, with the fields that GraphQL documents request. */
interface CycleNode {
  number: number;
  name: string | null;
  startsAt: string;
  endsAt: string;
  isActive: boolean;
  progress: number;
  team: { key: string };
}

/** Converts a cycle from GraphQL to a row of a tool result. */
const toCycleRow = (node: CycleNode): z.input<typeof cycleRow> => ({
  number: node.number,
  name: toNonEmptyText(node.name),
  team: node.team.key,
  starts: node.startsAt.slice(0, 10),
  ends: node.endsAt.slice(0, 10),
  current: node.isActive || undefined,
  progress: node.progress > 0 ? Math.round(node.progress * 100) / 100 : undefined,
});

const TIMES = { past: "isPast", current: "isActive", future: "isFuture" } as const;

/** Lists the cycles of the organization or of one team. */
export const listCycles = defineTool({
  name: "list_cycles",
  title: "List cycles",
  description: "List cycles, newest first.",
  toolset: "plan",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({
    team: z.string().optional(),
    time: z.enum(["past", "current", "future"]).optional(),
    ...PAGE_ARGUMENT_SCHEMAS,
  }),
  outputSchema: z.object({ cycles: z.array(cycleRow), ...PAGE_RESULT_SCHEMAS }),
  async handler({ team, time, limit, cursor }, { graphql }) {
    const filter = {
      ...(team !== undefined && { team: ENTITY_FILTER_BUILDERS.team(team) }),
      ...(time && { [TIMES[time]]: { eq: true } }),
    };
    const variables = { filter, first: limit, after: cursor, ...buildNameVariables({ team }) };
    const data = await graphql<{ cycles: GraphqlConnection<CycleNode> } & NameLookupResult>(
      PLAN_DOCUMENTS.cycles,
      variables,
    );
    if (team !== undefined) await createNameResolver(graphql, { team }, data).team();
    const { rows, rest } = toPage(data.cycles, toCycleRow);
    return { cycles: rows, ...rest };
  },
});

/** Creates or updates a cycle. */
export const saveCycle = defineTool({
  name: "save_cycle",
  title: "Save cycle",
  description: "Create a team's cycle. To change an existing one, pass cycle. ends is the first day after the cycle.",
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
    const resolve = await loadNameResolver(graphql, { team, cycle });
    const teamId = team === undefined ? undefined : (await resolve.team()).id;
    const id = cycle === undefined ? undefined : (await resolve.cycle(teamId)).id;
    const moment = (parameter: string, text: string | undefined) =>
      text === undefined ? undefined : `${parseDay(parameter, text)}T00:00:00.000Z`;
    const values = {
      name,
      description,
      startsAt: moment("starts", id ? starts : requireValue("starts", starts)),
      endsAt: moment("ends", id ? ends : requireValue("ends", ends)),
      teamId: id ? undefined : requireValue("team", teamId),
    };
    return { cycle: toCycleRow(await saveObject<CycleNode>(graphql, SAVE_DOCUMENTS.cycle, id, values)) };
  },
});
