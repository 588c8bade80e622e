import { z } from "zod";
import { isSameName } from "../../../formats/names.ts";
import type { GraphqlClient } from "../../api/graphql.ts";
import { NAME_OR_KEYWORD_SCHEMA, parseDay } from "../../arguments/filters.ts";
import {
  createNameResolver,
  fetchNamedEntities,
  matchUniqueCandidate,
  type NameArguments,
} from "../../arguments/names.ts";
import { PLAN_DOCUMENTS, SAVE_DOCUMENTS, type SaveDocuments } from "../../documents/plan.ts";
import { ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { toNonEmptyText } from "../../results.ts";

/**
 * Creates an object, or updates the object with this id. Undefined members stay unchanged.
 * @returns the row after the change @throws ToolError if the input contains no change
 */
export async function saveObject<Row>(
  graphql: GraphqlClient,
  { create, update }: SaveDocuments,
  id: string | undefined,
  values: Record<string, unknown>,
): Promise<Row> {
  const input = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  if (id !== undefined && Object.keys(input).length === 0)
    throw new ToolError("The call changes nothing. Add a field and call again.");
  const { saved } =
    id === undefined
      ? await graphql<{ saved: { row: Row } }>(create, { input })
      : await graphql<{ saved: { row: Row } }>(update, { id, input });
  return saved.row;
}

/** Returns a value that a new object requires. @throws ToolError that names the missing parameter */
export function requireValue<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw new ToolError(`${name}: a new one needs it. Add it and call again.`);
  return value;
}

/** Looks up the names of a call. Returns a function that resolves each name to an id. */
export async function loadNameResolver(graphql: GraphqlClient, named: NameArguments) {
  return createNameResolver(graphql, named, await fetchNamedEntities(graphql, named));
}

interface LabelNode {
  name: string;
  color: string;
  description: string | null;
  team: { key: string } | null;
}

/** Creates or updates a label. */
export const saveLabel = defineTool({
  name: "save_label",
  title: "Save label",
  description: "Create a label. To change an existing one, pass label. Without team, all teams share it.",
  toolset: "plan",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({
    label: z.string().optional(),
    name: z.string().min(1).optional(),
    color: z.string().optional().describe("#rrggbb"),
    description: z.string().optional(),
    team: z.string().optional(),
  }),
  outputSchema: z.object({
    label: z.object({
      name: z.string(),
      color: z.string(),
      description: z.string().optional(),
      team: z.string().optional(),
    }),
  }),
  async handler({ label, name, color, description, team }, { graphql }) {
    const resolve = await loadNameResolver(graphql, { team, labels: label === undefined ? [] : [label] });
    const teamId = team === undefined ? undefined : (await resolve.team()).id;
    const [known] = label === undefined ? [] : await resolve.labels(teamId, [label]);
    const values = {
      name: known ? name : requireValue("name", name),
      color,
      description,
      teamId: known ? undefined : teamId,
    };
    const row = await saveObject<LabelNode>(graphql, SAVE_DOCUMENTS.label, known?.id, values);
    const { name: called, color: shown } = row;
    return { label: { name: called, color: shown, description: toNonEmptyText(row.description), team: row.team?.key } };
  },
});

interface MilestoneNode {
  name: string;
  targetDate: string | null;
  project: { name: string };
}

export const saveMilestone = defineTool({
  name: "save_milestone",
  title: "Save milestone",
  description: "Create a project's milestone. To change an existing one, pass milestone.",
  toolset: "plan",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({
    milestone: z.string().optional(),
    project: z.string().optional(),
    name: z.string().min(1).optional(),
    target: NAME_OR_KEYWORD_SCHEMA.optional().describe("ISO date, P7D or none"),
  }),
  outputSchema: z.object({
    milestone: z.object({ name: z.string(), project: z.string(), target: z.string().optional() }),
  }),
  async handler({ milestone, project, name, target }, { graphql }) {
    const resolve = await loadNameResolver(graphql, { project, milestone });
    const projectId = project === undefined ? undefined : (await resolve.project()).id;
    const id = milestone === undefined ? undefined : (await resolve.milestone(projectId)).id;
    const values = {
      name: id ? name : requireValue("name", name),
      projectId: id ? undefined : requireValue("project", projectId),
      targetDate: target === "none" ? null : target === undefined ? undefined : parseDay("target", target),
    };
    const row = await saveObject<MilestoneNode>(graphql, SAVE_DOCUMENTS.milestone, id, values);
    return { milestone: { name: row.name, project: row.project.name, target: toNonEmptyText(row.targetDate) } };
  },
});

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
  lead: NAME_OR_KEYWORD_SCHEMA.optional(),
  start: NAME_OR_KEYWORD_SCHEMA.optional().describe("ISO date, P7D or none"),
  target: NAME_OR_KEYWORD_SCHEMA.optional(),
});

/** Creates or updates a project. */
export const saveProject = defineTool({
  name: "save_project",
  title: "Save project",
  description: "Create a project for teams. To change an existing one, pass project.",
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
    const resolve = await loadNameResolver(graphql, { project, user: lead === "none" ? undefined : lead });
    const id = project === undefined ? undefined : (await resolve.project()).id;
    const values = {
      name: id ? args.name : requireValue("name", args.name),
      description: args.description,
      teamIds: await teamIdsOf(graphql, id ? args.teams : requireValue("teams", args.teams)),
      statusId: args.state === undefined ? undefined : (await statusOf(graphql, args.state)).id,
      leadId: lead === "none" ? null : lead && (await resolve.user()).id,
      startDate: dayOf("start", args.start),
      targetDate: dayOf("target", args.target),
    };
    return { project: toProject(await saveObject<ProjectNode>(graphql, SAVE_DOCUMENTS.project, id, values)) };
  },
});

const dayOf = (name: string, text: string | undefined) =>
  text === "none" ? null : text === undefined ? undefined : parseDay(name, text);

async function teamIdsOf(graphql: GraphqlClient, teams: string[] | undefined): Promise<string[] | undefined> {
  if (!teams) return undefined;
  const found = teams.map(async (team) => (await (await loadNameResolver(graphql, { team })).team()).id);
  return Promise.all(found);
}

interface StatusNode {
  id: string;
  name: string;
  type: string;
  position: number;
}

/** Finds a project status by name, or the first status of a type. */
async function statusOf(graphql: GraphqlClient, text: string): Promise<{ id: string }> {
  const { projectStatuses } = await graphql<{ projectStatuses: { nodes: StatusNode[] } }>(PLAN_DOCUMENTS.statuses);
  const statuses = projectStatuses.nodes.toSorted((a, b) => a.position - b.position);
  const first = statuses.find(({ type }) => type === text.toLowerCase());
  const choices = async () => statuses.map(({ name }) => name);
  const candidates = statuses.map(({ id, name }) => ({ id, names: [name] }));
  const isName = statuses.some(({ name }) => isSameName(name, text));
  return first && !isName ? first : matchUniqueCandidate({ kind: "status", text, choices }, candidates);
}

const toProject = ({ name, url, status, teams, lead, startDate, targetDate }: ProjectNode) => ({
  name,
  state: status.name,
  teams: teams.nodes.map(({ key }) => key),
  lead: lead?.name,
  start: toNonEmptyText(startDate),
  target: toNonEmptyText(targetDate),
  url,
});
