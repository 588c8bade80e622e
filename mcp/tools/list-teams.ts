import { z } from "zod";
import { TEAM } from "../documents/team.ts";
import { defineTool, EFFECT } from "../registry/define-tool.ts";
import { truncate } from "../results/format.ts";
import { type Connection, PAGED, PAGING, page } from "../results/page.ts";

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
  effect: EFFECT.reads,
  input: z.strictObject({ ...PAGING }),
  output: z.object({ teams: z.array(team), ...PAGED }),
  async run({ limit, cursor }, { graphql }) {
    const { teams } = await graphql<Data>(TEAM.list, { first: limit, after: cursor });
    const { rows, rest } = page(teams, (node) => ({ ...node, description: truncate(node.description, 200) }));
    return { teams: rows, ...rest };
  },
});
