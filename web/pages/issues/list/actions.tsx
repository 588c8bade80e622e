import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import {
  IssueChoices,
  type IssueChoicesQuery,
  type IssueUpdateInput,
  type StatesQuery,
} from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { OptionChooser, type PickerOption } from "../../../parts/choose/chooser.tsx";
import { Popover } from "../../../parts/choose/popover.tsx";
import { TrackerIcon } from "../../../parts/drawings.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Avatar } from "../../../parts/marks.tsx";
import { formatPlural } from "../../../parts/texts/format.ts";
import { showToast } from "../../../parts/toast.tsx";
import { useKeyboardShortcuts } from "../../../shell/keys.ts";
import { ColorDot, PRIORITY_NAMES, PriorityIcon, StateIcon } from "../marks.tsx";
import { ConfirmUnprovenDialog } from "../side/unproven.tsx";
import { changeIssues, type IssueChange, MAX_ISSUES_PER_ACTION, undoLastChange, unprovenIssues } from "./change.ts";
import type { IssueRow } from "./row-type.ts";
import { findIssuesToActOn, type IssueSelection } from "./selection.ts";

type Kind = "state" | "priority" | "assignee" | "label" | "cycle" | "delegate";

const ACTIONS: readonly [kind: Kind, name: string, key: string, icon: ComponentChildren][] = [
  ["state", "State", "S", <TrackerIcon key="s" name="started" />],
  ["priority", "Priority", "P", <TrackerIcon key="p" name="high" />],
  ["assignee", "Assign", "A", <TrackerIcon key="a" name="user" />],
  ["label", "Label", "L", <TrackerIcon key="l" name="tag" />],
  ["cycle", "Cycle", "", <TrackerIcon key="c" name="cycle" />],
  ["delegate", "Hand to agent", "H", <TrackerIcon key="h" name="hand" />],
];

interface ActionsProps {
  selection: IssueSelection;
  states: StatesQuery["workflowStates"]["nodes"];
  reload: () => void;
}

/** Actions on the selected issues. Without a selection, the keys act on the issue at the cursor. */
export function SelectedIssueActions({ selection, states, reload }: ActionsProps) {
  const [acting, setActing] = useState<{ kind: Kind; anchor: HTMLElement }>();
  const chosen = selection.chosen.value.size;
  const close = () => setActing(undefined);
  const begin = (kind: Kind, anchor: HTMLElement | null) => {
    const issues = findIssuesToActOn(selection);
    if (issues.length === 0 || !anchor) return;
    if (issues.length > MAX_ISSUES_PER_ACTION) return showToast(tooMany(issues.length));
    setActing({ kind, anchor });
  };
  const byKey = (kind: Kind) => () =>
    begin(
      kind,
      document.querySelector<HTMLElement>(chosen > 0 ? `.bulk [data-kind="${kind}"]` : anchorOfCursor(selection)),
    );
  useKeyboardShortcuts({
    s: byKey("state"),
    p: byKey("priority"),
    a: byKey("assignee"),
    l: byKey("label"),
    h: byKey("delegate"),
    z: undoLastChange,
  });
  return (
    <>
      {chosen > 0 && (
        <div class="bulk" role="toolbar" aria-label={`${chosen} selected`}>
          <b>{chosen} selected</b>
          <button
            class="btn quiet sq"
            type="button"
            aria-label="Clear the selection"
            onClick={() => {
              selection.chosen.value = new Set();
            }}
          >
            <Icon name="x" class="i-14" />
          </button>
          {ACTIONS.map(([kind, name, key, icon]) => (
            <button
              key={kind}
              class="btn quiet"
              type="button"
              data-kind={kind}
              aria-haspopup="dialog"
              disabled={chosen > MAX_ISSUES_PER_ACTION}
              title={chosen > MAX_ISSUES_PER_ACTION ? tooMany(chosen) : undefined}
              onClick={({ currentTarget }) => begin(kind, currentTarget)}
            >
              {icon}
              {name} {key && <kbd class="only-wide">{key}</kbd>}
            </button>
          ))}
        </div>
      )}
      {acting && <Acting {...acting} selection={selection} states={states} close={close} reload={reload} />}
      <AskUnproven />
    </>
  );
}

/** Dialog about the issues that stayed open because the team requires proof. */
function AskUnproven() {
  const asked = unprovenIssues.value;
  const close = () => {
    unprovenIssues.value = undefined;
  };
  useEffect(() => close, []);
  if (!asked) return null;
  const [first, ...others] = asked.refused;
  return (
    <ConfirmUnprovenDialog
      name={others.length > 0 ? formatPlural(asked.refused.length, "issue") : (first?.issue.identifier ?? "")}
      lacks={asked.refused.map(({ words }) => words)}
      complete={asked.complete}
      close={close}
    />
  );
}

const tooMany = (count: number): string =>
  `${count} issues are selected. You can change up to ${MAX_ISSUES_PER_ACTION} issues at once.`;
const anchorOfCursor = ({ cursor }: IssueSelection): string => `[data-row="${CSS.escape(cursor.peek())}"]`;

interface ActingProps extends ActionsProps {
  kind: Kind;
  anchor: HTMLElement;
  close: () => void;
}

/** Picker with the values of an action. */
function Acting({ kind, anchor, selection, states, close, reload }: ActingProps) {
  const { data } = useQuery(IssueChoices, {});
  const issues = findIssuesToActOn(selection);
  const choices = data && choicesOf(kind, { issues, states, data });
  const label = ACTIONS.find(([each]) => each === kind)?.[1] ?? "";
  const choose = (id: string) => {
    close();
    const change = choices?.change(id);
    if (!change) return;
    changeIssues(issues, change, reload).catch((error: Error) => showToast(error.message));
  };
  return (
    <Popover anchor={anchor} label={label} close={close}>
      <OptionChooser label={label} options={choices?.options ?? []} chosen={[]} choose={choose} />
    </Popover>
  );
}

interface Known {
  issues: readonly IssueRow[];
  states: ActionsProps["states"];
  data: IssueChoicesQuery;
}

interface Choices {
  options: PickerOption[];
  change: (id: string) => IssueChange;
}

/** Returns the options of an action, and the change of each option. */
function choicesOf(kind: Kind, { issues, states, data }: Known): Choices {
  const nameIn = (options: readonly PickerOption[], id: string) => options.find((each) => each.id === id)?.name ?? "";
  const linked = (
    options: PickerOption[],
    member: keyof IssueUpdateInput,
    before: (issue: IssueRow) => string | null,
  ) => ({
    options,
    change: (id: string): IssueChange => ({
      words: `set to ${nameIn(options, id)}`,
      change: () => ({ [member]: id || null }),
      back: (issue) => ({ [member]: before(issue) }),
    }),
  });
  const users = (app: boolean, none: string): PickerOption[] => [
    { id: "", name: none },
    ...data.users.nodes
      .filter((each) => each.app === app)
      .map(({ id, name }) => ({ id, name, icon: <Avatar name={name} bot={app} /> })),
  ];
  if (kind === "state") return statesOf(issues, states);
  if (kind === "priority") {
    const options = PRIORITY_NAMES.map((name, n) => ({ id: String(n), name, icon: <PriorityIcon priority={n} /> }));
    return {
      options,
      change: (id) => ({
        words: `set to ${nameIn(options, id)}`,
        change: () => ({ priority: Number(id) }),
        back: ({ priority }) => ({ priority }),
      }),
    };
  }
  if (kind === "assignee")
    return linked(users(false, "No assignee"), "assigneeId", (issue) => issue.assignee?.id ?? null);
  if (kind === "delegate") return linked(users(true, "No agent"), "delegateId", (issue) => issue.delegate?.id ?? null);
  if (kind === "cycle") {
    const team = issues[0]?.team.id;
    const options = data.cycles.nodes
      .filter((each) => each.team.id === team)
      .map(({ id, name, number }) => ({ id, name: name ?? `Cycle ${number}` }));
    return linked([{ id: "", name: "No cycle" }, ...options], "cycleId", (issue) => issue.cycle?.id ?? null);
  }
  const teams = new Set(issues.map(({ team }) => team.id));
  const options = data.issueLabels.nodes
    .filter(({ team }) => !team || (teams.size === 1 && teams.has(team.id)))
    .map(({ id, name, color }) => ({ id, name, icon: <ColorDot color={color} /> }));
  const has = ({ labelIds }: IssueRow, id: string) => labelIds.includes(id);
  return {
    options,
    change: (id) => {
      // Removes the label if every issue has the label.
      const off = issues.every((issue) => has(issue, id));
      return {
        words: `${off ? "no longer labeled" : "labeled"} “${nameIn(options, id)}”`,
        change: () => (off ? { removedLabelIds: [id] } : { addedLabelIds: [id] }),
        back: (issue) => (has(issue, id) ? { addedLabelIds: [id] } : { removedLabelIds: [id] }),
      };
    },
  };
}

/** Returns the states by name. Each issue gets the state of that name in the issue's team. */
function statesOf(issues: readonly IssueRow[], states: Known["states"]): Choices {
  const teams = new Set(issues.map(({ team }) => team.id));
  const own = states.filter(({ team }) => teams.has(team.id));
  const byName = new Map(own.sort((a, b) => a.position - b.position).map((state) => [state.name, state]));
  const options = [...byName.values()].map((state) => ({
    id: state.name,
    name: state.name,
    icon: <StateIcon state={state} />,
  }));
  return {
    options,
    change: (name) => ({
      words: `moved to ${name}`,
      change: ({ team }) => {
        const state = own.find((each) => each.name === name && each.team.id === team.id);
        return state && { stateId: state.id };
      },
      back: ({ state }) => ({ stateId: state.id }),
    }),
  };
}
