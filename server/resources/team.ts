import { z } from "zod";
import { addLink, create } from "../core/change.ts";
import { newId } from "../core/id.ts";
import { mutation, type Resource } from "../core/resource.ts";
import { column, organization } from "../core/row.ts";
import type { Write } from "../core/write.ts";
import { conflict } from "../errors.ts";
import { BASE, base, color, id, longText, name, organizationLink } from "./fields.ts";

/** The states a new team gets (decisions §3); the first is where its issues start. */
const DEFAULT_STATES = [
  ["Backlog", "backlog", "#bec2c8"],
  ["Todo", "unstarted", "#e2e2e2"],
  ["In Progress", "started", "#f2c94c"],
  ["Done", "completed", "#5e6ad2"],
  ["Canceled", "canceled", "#95a2b3"],
  ["Duplicate", "duplicate", "#95a2b3"],
] as const;

const key = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z][A-Z0-9]{0,6}$/, "must be a letter and up to six letters or digits, e.g. ENG");

const TeamCreateInput = z.strictObject({
  id: id.nullish(),
  name,
  key: key.nullish(),
  description: longText.nullish(),
  color: color.nullish(),
  icon: name.nullish(),
  private: z.boolean().nullish(),
});

export const team: Resource = {
  entity: {
    name: "Team",
    table: "team",
    event: "team",
    columns: {
      ...BASE,
      key: "text",
      name: "text",
      description: "text",
      color: "text",
      icon: "text",
      private: "boolean",
    },
    internal: { issueCounter: "integer", cycleCounter: "integer", defaultStateId: "uuid" },
    computed: {
      displayName: { type: "text", sql: (row) => column(row, "name") },
      issueCount: {
        type: "integer",
        sql: (row) => `(select count(*) from issue i
        where i."organizationId" = ${organization(row.build)} and i."teamId" = ${column(row, "id")})`,
      },
      url: { type: "text", sql: (row) => `${base(row)} || '/team/' || ${column(row, "key")}` },
    },
    published: ["url"],
    one: {
      organization: organizationLink,
      defaultIssueState: { entity: "WorkflowState", by: "defaultStateId" },
      activeCycle: {
        entity: "Cycle",
        where: (cycle, source) => `${column(cycle, "teamId")} = ${source && column(source, "id")}
          and ${column(cycle, "startsAt")} <= now() and ${column(cycle, "endsAt")} > now() and ${column(cycle, "archivedAt")} is null`,
      },
    },
    many: {
      states: { entity: "WorkflowState", by: "teamId" },
      issues: { entity: "Issue", by: "teamId" },
      labels: { entity: "IssueLabel", by: "teamId" },
      cycles: { entity: "Cycle", by: "teamId" },
      webhooks: { entity: "Webhook", by: "teamId" },
      members: { entity: "User" },
      projects: { entity: "Project", through: { table: "projectTeam", from: "teamId", to: "projectId" } },
    },
    reference: (row, value) => `${column(row, "id")} = (select k."teamId" from "teamKey" k
      where k."organizationId" = ${organization(row.build)} and k.key = upper(${value}))`,
    teamOf: (row) => column(row, "id"),
  },
  one: { team: { entity: "Team" } },
  many: { teams: { entity: "Team" } },
  mutations: { teamCreate: mutation(TeamCreateInput, (write, { input }) => teamCreate(write, input)) },
};

/** Creates a team, its six states, and its key's claim. */
async function teamCreate(write: Write, input: z.infer<typeof TeamCreateInput>) {
  const teamId = input.id ?? newId();
  const teamKey = input.key ?? (await freeKey(write, input.name));
  const [taken] = await write.trx.query({
    text: `select 1 from "teamKey" where "organizationId" = $1 and key = $2`,
    values: [write.scope.organizationId, teamKey],
  });
  if (taken) throw conflict(`the key ${teamKey} belongs to another team; choose another key`, undefined, "key");
  const states = DEFAULT_STATES.map(([label, type, shade], at) => ({
    id: newId(),
    teamId,
    name: label,
    type,
    color: shade,
    position: at,
  }));
  const { name: teamName, description = null, color: teamColor = null, icon = null } = input;
  create(write, "Team", {
    id: teamId,
    key: teamKey,
    name: teamName,
    description,
    color: teamColor,
    icon,
    defaultStateId: states[0]?.id,
  });
  addLink(write, "teamKey", { key: teamKey, teamId });
  for (const state of states) create(write, "WorkflowState", state);
  return { id: teamId };
}

/** A key from the first letters of a name, with a digit when it is taken. */
async function freeKey(write: Write, teamName: string): Promise<string> {
  const letters =
    teamName
      .toUpperCase()
      .replace(/[^A-Z0-9]/g, "")
      .replace(/^[0-9]+/, "")
      .slice(0, 3) || "TEAM";
  const rows = await write.trx.query<{ key: string }>({
    text: `select key from "teamKey" where "organizationId" = $1 and key like $2 || '%'`,
    values: [write.scope.organizationId, letters],
  });
  const taken = new Set(rows.map((row) => row.key));
  if (!taken.has(letters)) return letters;
  for (let digit = 2; ; digit += 1) if (!taken.has(`${letters}${digit}`)) return `${letters}${digit}`;
}
