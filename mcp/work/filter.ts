import type { GraphqlClient } from "../api/graphql.ts";
import { lookUpNames } from "../arguments/look-up-names.ts";
import { nameResolver } from "../arguments/resolve-names.ts";

/** The filter that a team and labels mean, by their ids, which the index of ready issues knows. @throws ToolError */
export async function workFilter(
  graphql: GraphqlClient,
  args: { team?: string | undefined; labels?: string[] | undefined },
) {
  const named = { team: args.team, labels: args.labels };
  const found = await lookUpNames(graphql, named);
  const resolve = nameResolver(graphql, named, found);
  const team = args.team === undefined ? undefined : (await resolve.team()).id;
  const labels = await resolve.labels(team, args.labels ?? []);
  return {
    ...(team && { team: { id: { eq: team } } }),
    ...(labels.length > 0 && { and: labels.map(({ id }) => ({ labels: { some: { id: { eq: id } } } })) }),
  };
}
