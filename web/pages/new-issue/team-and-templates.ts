import { useEffect } from "preact/hooks";
import { IssueTemplates } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import type { Draft } from "../../shell/new-issue-state.ts";
import { type FieldOptions, useFieldOptions } from "../issues/choices.tsx";
import type { PartProps } from "./draft.ts";

interface Template {
  id: string;
  name: string;
  templateData: unknown;
}

/** Everything that a draft is chosen from. */
export interface Choices {
  options: FieldOptions;
  /** The team that is chosen, or else the first there is; undefined while that is not known. */
  teamId: string | undefined;
  templates: readonly Template[];
  problem: string;
}

/** The teams, the one that is chosen, and the templates that it may use. */
export function useChoices({ teamId, teamKey }: Draft): Choices {
  const { data, error } = useQuery(IssueTemplates, {});
  const known = useFieldOptions(undefined).teams;
  const team = known.find(({ id, detail }) => (teamKey ? detail === teamKey : id === teamId)) ?? known.at(-1);
  const options = useFieldOptions(team?.id);
  const templates = (data?.templates ?? []).filter((each) => !each.team || each.team.id === team?.id);
  const none = options.read && known.length === 0 ? "There is no team yet: an issue needs one. Make it above." : "";
  return { options, teamId: team?.id, templates, problem: none || (error?.message ?? "") };
}

/** Puts ids in the place of the names that a draft began with, once they are known. */
export function useNames(draft: Draft, change: PartProps["change"], { options, teamId }: Choices): void {
  const { teamKey, stateName, labelNames } = draft;
  useEffect(() => {
    if (!teamId || !options.read || options.states.length === 0 || !(teamKey || stateName || labelNames.length > 0))
      return;
    const state = options.states.find(({ name }) => name === stateName);
    const labels = options.labels.filter(({ name }) => labelNames.includes(name)).map(({ id }) => id);
    change({
      ...(teamKey && { teamId, teamKey: "" }),
      ...(stateName && { stateId: state?.id ?? "", stateName: "" }),
      ...(labelNames.length > 0 && { labelIds: [...new Set([...draft.labelIds, ...labels])], labelNames: [] }),
    });
  }, [teamId, options.read, options.states.length]);
}
