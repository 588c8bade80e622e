import { isUuid } from "../../formats/uuid.ts";
import type { GraphqlClient } from "../api/graphql.ts";
import { NAME } from "../documents/names.ts";
import { ToolError } from "../errors.ts";
import { FILTERS } from "./filters.ts";

interface Choices {
  choices: { nodes: { name: string; type: string; position: number }[] };
}

/**
 * Throws when no state has this name or type. Asked only after an empty list, so that a list with rows costs one
 * request.
 */
export async function assertStateExists(
  graphql: GraphqlClient,
  state: string,
  team: string | undefined,
): Promise<void> {
  if (state === "open" || isUuid(state)) return;
  const filter = team === undefined ? {} : { team: FILTERS.team(team) };
  const { choices } = await graphql<Choices>(NAME.states, { filter });
  const wanted = state.toLowerCase();
  if (choices.nodes.some(({ name, type }) => name.toLowerCase() === wanted || type === wanted)) return;
  const known = [...new Set(choices.nodes.toSorted((a, b) => a.position - b.position).map(({ name }) => name))].join(
    ", ",
  );
  throw new ToolError(`There is no state "${state}". Call again with one of: ${known}, or open.`);
}
