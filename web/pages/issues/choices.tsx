import { useState } from "preact/hooks";
import { FindIssues, IssueChoices, type IssueChoicesQuery, States } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import type { PickerOption } from "../../parts/choose/chooser.tsx";
import { Avatar } from "../../parts/marks.tsx";
import { ColorDot, PRIORITY_NAMES, PriorityIcon, StateIcon } from "./marks.tsx";

/** Options that the user can choose for the fields of an issue in one team. */
export interface FieldOptions {
  people: PickerOption[];
  agents: PickerOption[];
  priorities: PickerOption[];
  states: PickerOption[];
  labels: PickerOption[];
  projects: PickerOption[];
  cycles: PickerOption[];
  teams: PickerOption[];
  /** Result of the query that the options were built from. */
  read: IssueChoicesQuery | undefined;
  reload: () => Promise<void>;
}

const priorities = PRIORITY_NAMES.map((name, n) => ({ id: String(n), name, icon: <PriorityIcon priority={n} /> }));

/** Reads the options of an issue's fields. Optional fields begin with an option whose id is empty. */
export function useFieldOptions(teamId: string | undefined): FieldOptions {
  const { data, reload } = useQuery(IssueChoices, {});
  const { data: states } = useQuery(States, { filter: teamId ? { team: { id: { eq: teamId } } } : {} });
  const users = (app: boolean) =>
    (data?.users.nodes ?? [])
      .filter((each) => each.app === app)
      .map(({ id, name, email }) => ({
        id,
        name,
        icon: <Avatar name={name} bot={app} />,
        detail: app ? undefined : email,
      }));
  return {
    people: [{ id: "", name: "No assignee" }, ...users(false)],
    agents: [{ id: "", name: "No agent" }, ...users(true)],
    priorities,
    states: [...(states?.workflowStates.nodes ?? [])]
      .sort((a, b) => a.position - b.position)
      .map((state) => ({ id: state.id, name: state.name, icon: <StateIcon state={state} /> })),
    labels: (data?.issueLabels.nodes ?? [])
      .filter(({ team }) => !team || team.id === teamId)
      .map(({ id, name, color }) => ({ id, name, icon: <ColorDot color={color} /> })),
    projects: [{ id: "", name: "No project" }, ...(data?.projects.nodes ?? []).map(({ id, name }) => ({ id, name }))],
    cycles: [
      { id: "", name: "No cycle" },
      ...(data?.cycles.nodes ?? [])
        .filter(({ team }) => team.id === teamId)
        .map(({ id, name, number, isActive }) => ({
          id,
          name: name ?? `Cycle ${number}`,
          detail: isActive ? "current" : undefined,
        })),
    ],
    teams: (data?.teams.nodes ?? []).map(({ id, key, name }) => ({ id, name, detail: key })),
    read: data,
    reload,
  };
}

/** Finds issues by words or identifier. Returns options whose ids are identifiers. */
export function useIssueSearchOptions(without?: string) {
  const [term, setTerm] = useState("");
  const { data } = useQuery(FindIssues, { term: term || "state:open" });
  const options: PickerOption[] = (data?.searchIssues.nodes ?? [])
    .filter(({ identifier }) => identifier !== without)
    .map(({ identifier, title, state }) => ({
      id: identifier,
      name: `${identifier} ${title}`,
      icon: <StateIcon state={state} />,
    }));
  return { options, find: setTerm };
}
