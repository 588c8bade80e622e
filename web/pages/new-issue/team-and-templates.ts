import { useEffect } from "preact/hooks";
import { IssueTemplates } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import type { IssueDraft } from "../../shell/new-issue-state.ts";
import { type FieldOptions, useFieldOptions } from "../issues/choices.tsx";
import type { DraftProps } from "./draft.ts";

interface Template {
  id: string;
  name: string;
  templateData: unknown;
}

/** Options for the values of a draft. */
export interface DraftOptions {
  options: FieldOptions;
  /**
   * Id of the chosen team, or of the default team (the last team in the list of options). Undefined until the teams are
   * read.
   */
  teamId: string | undefined;
  templates: readonly Template[];
  problem: string;
}

/** Reads the teams and the templates that the chosen team may use. */
export function useDraftOptions({ teamId, teamKey }: IssueDraft): DraftOptions {
  const { data, error } = useQuery(IssueTemplates, {});
  const known = useFieldOptions(undefined).teams;
  const team = known.find(({ id, detail }) => (teamKey ? detail === teamKey : id === teamId)) ?? known.at(-1);
  const options = useFieldOptions(team?.id);
  const templates = (data?.templates ?? []).filter((each) => !each.team || each.team.id === team?.id);
  const none =
    options.read && known.length === 0 ? "An issue needs a team, and there is no team yet. Create a team above." : "";
  return { options, teamId: team?.id, templates, problem: none || (error?.message ?? "") };
}

/** Replaces the names in a new draft with ids, after the options are read. */
export function useDraftNameResolution(
  draft: IssueDraft,
  change: DraftProps["change"],
  { options, teamId }: DraftOptions,
): void {
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
