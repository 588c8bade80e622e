import { z } from "zod";
import type { GraphqlClient } from "../../api/graphql.ts";
import { parseDay } from "../../arguments/dates.ts";
import { NAME_OR_WORD } from "../../arguments/filters.ts";
import { matchName } from "../../arguments/match-name.ts";
import { needed, resolverOf, save } from "../../arguments/save.ts";
import { PLAN } from "../../documents/plan.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { nonEmpty } from "../../results/format.ts";

interface ProjectNode {
  name: string;
  url: string;
  status: { name: string };
  startDate: string | null;
  targetDate: string | null;
  lead: { name: string } | null;
  teams: { nodes: { key: string }[] };
}

const inputSchema = z.strictObject({
  project: z.string().optional(),
  name: z.string().min(1).optional(),
  teams: z.array(z.string()).max(20).optional(),
  description: z.string().optional(),
  state: z.string().optional().describe("status name or type"),
  lead: NAME_OR_WORD.optional(),
  start: NAME_OR_WORD.optional().describe("ISO date, P7D or none"),
  target: NAME_OR_WORD.optional(),
});

/** Creates a project, or changes one. */
export const saveProject = defineTool({
  name: "save_project",
  title: "Save project",
  description: "Create a project of teams, or change the one that project names.",
  toolset: "plan",
  annotations: ANNOTATIONS.changes,
  inputSchema,
  outputSchema: z.object({
    project: z.object({
      name: z.string(),
      state: z.string(),
      teams: z.array(z.string()),
      lead: z.string().optional(),
      start: z.string().optional(),
      target: z.string().optional(),
      url: z.string(),
    }),
  }),
  async handler({ project, lead, ...args }, { graphql }) {
    const resolve = await resolverOf(graphql, { project, user: lead === "none" ? undefined : lead });
    const id = project === undefined ? undefined : (await resolve.project()).id;
    const values = {
      name: id ? args.name : needed("name", args.name),
      description: args.description,
      teamIds: await teamIdsOf(graphql, id ? args.teams : needed("teams", args.teams)),
      statusId: args.state === undefined ? undefined : (await statusOf(graphql, args.state)).id,
      leadId: lead === "none" ? null : lead && (await resolve.user()).id,
      startDate: dayOf("start", args.start),
      targetDate: dayOf("target", args.target),
    };
    const documents = { create: PLAN.createProject, update: PLAN.updateProject };
    return { project: toProject(await save<ProjectNode>(graphql, documents, id, values)) };
  },
});

const dayOf = (name: string, text: string | undefined) =>
  text === "none" ? null : text === undefined ? undefined : parseDay(name, text);

async function teamIdsOf(graphql: GraphqlClient, teams: string[] | undefined): Promise<string[] | undefined> {
  if (!teams) return undefined;
  const found = teams.map(async (team) => (await (await resolverOf(graphql, { team })).team()).id);
  return Promise.all(found);
}

interface StatusNode {
  id: string;
  name: string;
  type: string;
  position: number;
}

/** The project status of a name, or the first of a type. */
async function statusOf(graphql: GraphqlClient, text: string): Promise<{ id: string }> {
  const { projectStatuses } = await graphql<{ projectStatuses: { nodes: StatusNode[] } }>(PLAN.statuses);
  const statuses = projectStatuses.nodes.toSorted((a, b) => a.position - b.position);
  const first = statuses.find(({ type }) => type === text.toLowerCase());
  const choices = async () => statuses.map(({ name }) => name);
  const candidates = statuses.map(({ id, name }) => ({ id, names: [name] }));
  const isName = statuses.some(({ name }) => name.toLowerCase() === text.toLowerCase());
  return first && !isName ? first : matchName({ kind: "status", text, choices }, candidates);
}

const toProject = ({ name, url, status, teams, lead, startDate, targetDate }: ProjectNode) => ({
  name,
  state: status.name,
  teams: teams.nodes.map(({ key }) => key),
  lead: lead?.name,
  start: nonEmpty(startDate),
  target: nonEmpty(targetDate),
  url,
});
