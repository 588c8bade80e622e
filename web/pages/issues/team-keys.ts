import { IssueChoices } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";

/**
 * Returns the keys of the teams, joined with `|`. Text that looks like an issue identifier with such a key becomes a
 * link.
 */
export const useTeamKeysPattern = (): string =>
  useQuery(IssueChoices, {})
    .data?.teams.nodes.map(({ key }) => key)
    .join("|") ?? "";
