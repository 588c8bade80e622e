import { z } from "zod";
import { FILTERS } from "../../arguments/filters.ts";
import { type FoundNames, nameVariables } from "../../arguments/look-up-names.ts";
import { nameResolver } from "../../arguments/resolve-names.ts";
import { PROJECT } from "../../documents/project.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { nonEmpty, nonEmptyList, truncate } from "../../results/format.ts";
import { type Connection, PAGE_ARGUMENTS, PAGE_RESULT, toPage } from "../../results/page.ts";

const STATES = ["backlog", "planned", "started", "paused", "completed", "canceled"] as const;

const project = z.object({
  name: z.string(),
  state: z.string(),
  progress: z.number().optional(),
  lead: z.string().optional(),
  target: z.string().optional(),
  teams: z.array(z.string()).optional(),
  description: z.string().optional(),
});

interface ProjectNode {
  name: string;
  description: string;
  state: string;
  progress: number;
  targetDate: string | null;
  lead: { name: string } | null;
  teams: { nodes: { key: string }[] };
}

/** The projects, of the organization or of one team. */
export const listProjects = defineTool({
  name: "list_projects",
  title: "List projects",
  description: "List projects, newest first.",
  toolset: "core",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({
    team: z.string().optional(),
    state: z.enum(STATES).optional(),
    query: z.string().min(1).optional().describe("part of the name"),
    ...PAGE_ARGUMENTS,
  }),
  outputSchema: z.object({ projects: z.array(project), ...PAGE_RESULT }),
  async handler({ team, state, query, limit, cursor }, { graphql }) {
    const filter = {
      ...(team !== undefined && { accessibleTeams: { some: FILTERS.team(team) } }),
      ...(state && { state: { eq: state } }),
      ...(query && { name: { containsIgnoreCase: query } }),
    };
    const variables = { filter, first: limit, after: cursor, ...nameVariables({ team }) };
    const data = await graphql<{ projects: Connection<ProjectNode> } & FoundNames>(PROJECT.list, variables);
    if (team !== undefined) await nameResolver(graphql, { team }, data).team();
    const { rows, rest } = toPage(data.projects, toRow);
    return { projects: rows, ...rest };
  },
});

function toRow(node: ProjectNode): z.input<typeof project> {
  return {
    name: node.name,
    state: node.state,
    progress: node.progress > 0 ? Math.round(node.progress * 100) / 100 : undefined,
    lead: node.lead?.name,
    target: nonEmpty(node.targetDate),
    teams: nonEmptyList(node.teams.nodes.map(({ key }) => key)),
    description: truncate(node.description, 200),
  };
}
