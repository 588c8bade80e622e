import { z } from "zod";
import { TEAM } from "../../documents/team.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { truncate } from "../../results/format.ts";
import { type Connection, PAGE_ARGUMENTS, PAGE_RESULT, toPage } from "../../results/page.ts";

const team = z.object({ key: z.string(), name: z.string(), description: z.string().optional() });

interface Data {
  teams: Connection<{ key: string; name: string; description: string | null }>;
}

/** The teams of the organization. */
export const listTeams = defineTool({
  name: "list_teams",
  title: "List teams",
  description: "List the teams. A team's key (ENG) prefixes its issues (ENG-12).",
  toolset: "core",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({ ...PAGE_ARGUMENTS }),
  outputSchema: z.object({ teams: z.array(team), ...PAGE_RESULT }),
  async handler({ limit, cursor }, { graphql }) {
    const { teams } = await graphql<Data>(TEAM.list, { first: limit, after: cursor });
    const { rows, rest } = toPage(teams, (node) => ({ ...node, description: truncate(node.description, 200) }));
    return { teams: rows, ...rest };
  },
});
