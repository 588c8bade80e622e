import { COMPLETION } from "../documents/completion.ts";
import { limitSize } from "../results/limit-size.ts";
import { getTeam } from "../tools/teams/get-team.ts";
import type { ResourceKind } from "./resource.ts";

interface Data {
  teams: { nodes: { key: string }[] };
}

/** A team, as get_team shows it. */
export const teamResource: ResourceKind = {
  name: "team",
  title: "Team",
  description: "A team with its states, labels, members, projects and current cycle.",
  variable: "key",
  mimeType: "application/json",
  async read(team, context) {
    return limitSize(await getTeam.handler({ team }, context)).json;
  },
  async complete(typed, { graphql }) {
    const begins = { startsWithIgnoreCase: typed };
    const filter = typed === "" ? {} : { or: [{ key: begins }, { name: begins }] };
    const { teams } = await graphql<Data>(COMPLETION.teams, { filter });
    return teams.nodes.map(({ key }) => key);
  },
};
