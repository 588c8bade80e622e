import { z } from "zod";
import { FILTERS } from "../../arguments/filters.ts";
import { matchName } from "../../arguments/match-name.ts";
import { NAME } from "../../documents/names.ts";
import { TEAM } from "../../documents/team.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { nodeNames, nonEmpty } from "../../results/format.ts";

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

/** One team with what its issues can be given. */
export const getTeam = defineTool({
  name: "get_team",
  title: "Get team",
  description: "Show one team: its states, labels, members, projects and current cycle.",
  toolset: "core",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({ team: z.string().describe("key or name") }),
  outputSchema,
  async handler({ team }, { graphql }) {
    const { teams } = await graphql<{ teams: { nodes: TeamNode[] } }>(TEAM.get, { team: FILTERS.team(team) });
    const choices = async () => {
      const known = await graphql<{ choices: { nodes: { key: string; name: string }[] } }>(NAME.teams);
      return known.choices.nodes.map(({ key, name }) => `${key} (${name})`);
    };
    const candidates = teams.nodes.map((node) => ({ ...node, names: [node.key, node.name] }));
    return { team: toTeam(await matchName({ kind: "team", text: team, choices }, candidates)) };
  },
});

function toTeam(node: TeamNode): z.input<typeof outputSchema>["team"] {
  const states = node.states.nodes.toSorted((a, b) => a.position - b.position);
  return {
    key: node.key,
    name: node.name,
    description: nonEmpty(node.description),
    issues: node.issueCount,
    states: states.map(({ name, type }) => ({ name, type })),
    labels: nodeNames(node.labels.nodes),
    members: nodeNames(node.members.nodes),
    cycle: node.activeCycle
      ? {
          number: node.activeCycle.number,
          name: nonEmpty(node.activeCycle.name),
          ends: node.activeCycle.endsAt.slice(0, 10),
        }
      : undefined,
    projects: nodeNames(node.projects.nodes),
  };
}
