import { IssueChoices } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";

/** The keys of the teams: what looks like an identifier of theirs in a text is a link. */
export const useTeamKeys = (): string =>
  useQuery(IssueChoices, {})
    .data?.teams.nodes.map(({ key }) => key)
    .join("|") ?? "";
