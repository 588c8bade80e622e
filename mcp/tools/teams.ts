import { z } from "zod";
import { ENTITY_FILTER_BUILDERS } from "../arguments/filters.ts";
import {
  buildNameVariables,
  createNameResolver,
  matchUniqueCandidate,
  type NameLookupResult,
} from "../arguments/names.ts";
import { NAME_LOOKUP_DOCUMENTS } from "../documents/names.ts";
import { PROJECT_DOCUMENTS, TEAM_DOCUMENTS } from "../documents/team.ts";
import { ANNOTATIONS, defineTool } from "../registry/define-tool.ts";
import {
  type GraphqlConnection,
  listNodeNames,
  PAGE_ARGUMENT_SCHEMAS,
  PAGE_RESULT_SCHEMAS,
  toNonEmptyList,
  toNonEmptyText,
  toPage,
  truncate,
} from "../results.ts";

interface Viewer {
  viewer: { name: string; displayName: string; email: string };
  organization: { name: string; urlKey: string };
}

/** Returns the user of the key. */
export const whoami = defineTool({
  name: "whoami",
  title: "Who am I",
  description: "Show the user and organization of this key.",
  toolset: "core",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({}),
  outputSchema: z.object({
    user: z.object({ name: z.string(), display_name: z.string(), email: z.string() }),
    organization: z.object({ name: z.string(), url_key: z.string() }),
  }),
  async handler(_, { graphql }) {
    const { viewer, organization } = await graphql<Viewer>(TEAM_DOCUMENTS.viewer);
    return {
      user: { name: viewer.name, display_name: viewer.displayName, email: viewer.email },
      organization: { name: organization.name, url_key: organization.urlKey },
    };
  },
});

const team = z.object({ key: z.string(), name: z.string(), description: z.string().optional() });

interface ListedTeams {
  teams: GraphqlConnection<{ key: string; name: string; description: string | null }>;
}

/** Lists the teams of the organization. */
export const listTeams = defineTool({
  name: "list_teams",
  title: "List teams",
  description: "List the teams. A team's key (ENG) prefixes its issues (ENG-12).",
  toolset: "core",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({ ...PAGE_ARGUMENT_SCHEMAS }),
  outputSchema: z.object({ teams: z.array(team), ...PAGE_RESULT_SCHEMAS }),
  async handler({ limit, cursor }, { graphql }) {
    const { teams } = await graphql<ListedTeams>(TEAM_DOCUMENTS.list, { first: limit, after: cursor });
    const { rows, rest } = toPage(teams, (node) => ({ ...node, description: truncate(node.description, 200) }));
    return { teams: rows, ...rest };
  },
});

const outputSchema = z.object({
  team: z.object({
    key: z.string(),
    name: z.string(),
    description: z.string().optional(),
    issues: z.int(),
    states: z.array(z.object({ name: z.string(), type: z.string() })),
    labels: z.array(z.string()).optional(),
    members: z.array(z.string()).optional(),
    cycle: z.object({ number: z.number(), name: z.string().optional(), ends: z.string() }).optional(),
    projects: z.array(z.string()).optional(),
  }),
});

interface TeamNode {
  id: string;
  key: string;
  name: string;
  description: string | null;
  issueCount: number;
  states: { nodes: { name: string; type: string; position: number }[] };
  labels: { nodes: { name: string }[] };
  members: { nodes: { name: string }[] };
  activeCycle: { number: number; name: string | null; endsAt: string } | null;
  projects: { nodes: { name: string }[] };
}

/** Returns a team with its states, labels, members, projects and current cycle. */
export const getTeam = defineTool({
  name: "get_team",
  title: "Get team",
  description: "Show one team: its states, labels, members, projects and current cycle.",
  toolset: "core",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({ team: z.string().describe("key or name") }),
  outputSchema,
  async handler({ team }, { graphql }) {
    const { teams } = await graphql<{ teams: { nodes: TeamNode[] } }>(TEAM_DOCUMENTS.get, {
      team: ENTITY_FILTER_BUILDERS.team(team),
    });
    const choices = async () => {
      const known = await graphql<{ choices: { nodes: { key: string; name: string }[] } }>(NAME_LOOKUP_DOCUMENTS.teams);
      return known.choices.nodes.map(({ key, name }) => `${key} (${name})`);
    };
    const candidates = teams.nodes.map((node) => ({ ...node, names: [node.key, node.name] }));
    return { team: toTeam(await matchUniqueCandidate({ kind: "team", text: team, choices }, candidates)) };
  },
});

function toTeam(node: TeamNode): z.input<typeof outputSchema>["team"] {
  const states = node.states.nodes.toSorted((a, b) => a.position - b.position);
  return {
    key: node.key,
    name: node.name,
    description: toNonEmptyText(node.description),
    issues: node.issueCount,
    states: states.map(({ name, type }) => ({ name, type })),
    labels: listNodeNames(node.labels.nodes),
    members: listNodeNames(node.members.nodes),
    cycle: node.activeCycle
      ? {
          number: node.activeCycle.number,
          name: toNonEmptyText(node.activeCycle.name),
          ends: node.activeCycle.endsAt.slice(0, 10),
        }
      : undefined,
    projects: listNodeNames(node.projects.nodes),
  };
}

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

/** Lists the projects of the organization or of one team. */
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
    ...PAGE_ARGUMENT_SCHEMAS,
  }),
  outputSchema: z.object({ projects: z.array(project), ...PAGE_RESULT_SCHEMAS }),
  async handler({ team, state, query, limit, cursor }, { graphql }) {
    const filter = {
      ...(team !== undefined && { accessibleTeams: { some: ENTITY_FILTER_BUILDERS.team(team) } }),
      ...(state && { state: { eq: state } }),
      ...(query && { name: { containsIgnoreCase: query } }),
    };
    const variables = { filter, first: limit, after: cursor, ...buildNameVariables({ team }) };
    const data = await graphql<{ projects: GraphqlConnection<ProjectNode> } & NameLookupResult>(
      PROJECT_DOCUMENTS.list,
      variables,
    );
    if (team !== undefined) await createNameResolver(graphql, { team }, data).team();
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
    target: toNonEmptyText(node.targetDate),
    teams: toNonEmptyList(node.teams.nodes.map(({ key }) => key)),
    description: truncate(node.description, 200),
  };
}
