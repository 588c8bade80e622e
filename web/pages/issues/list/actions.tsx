import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import {
  IssueChoices,
  type IssueChoicesQuery,
  type IssueUpdateInput,
  type StatesQuery,
} from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Chooser, type Option } from "../../../parts/choose/chooser.tsx";
import { Popover } from "../../../parts/choose/popover.tsx";
import { Drawing } from "../../../parts/drawings.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Avatar } from "../../../parts/marks.tsx";
import { plural } from "../../../parts/texts/format.ts";
import { toast } from "../../../parts/toast.tsx";
import { useKeys } from "../../../shell/keys.ts";
import { PRIORITIES, PriorityIcon, StateIcon, Swatch } from "../marks.tsx";
import { SureUnproven } from "../side/unproven.tsx";
import { type Change, changeIssues, MOST_AT_ONCE, undo, unproven } from "./change.ts";
import type { IssueRow } from "./row-type.ts";
import { type Selection, subjects } from "./selection.ts";

type Kind = "state" | "priority" | "assignee" | "label" | "cycle" | "delegate";

const ACTIONS: readonly [kind: Kind, name: string, key: string, icon: ComponentChildren][] = [
  ["state", "State", "S", <Drawing key="s" name="started" />],
  ["priority", "Priority", "P", <Drawing key="p" name="high" />],
  ["assignee", "Assign", "A", <Drawing key="a" name="user" />],
  ["label", "Label", "L", <Drawing key="l" name="tag" />],
  ["cycle", "Cycle", "", <Drawing key="c" name="cycle" />],
  ["delegate", "Hand to agent", "H", <Drawing key="h" name="hand" />],
];

interface ActionsProps {
  selection: Selection;
  states: StatesQuery["workflowStates"]["nodes"];
  reload: () => void;
}

/** The actions on the selected issues, or by keys on the one that the keys are at. */
export function Actions({ selection, states, reload }: ActionsProps) {
  const [acting, setActing] = useState<{ kind: Kind; anchor: HTMLElement }>();
  const chosen = selection.chosen.value.size;
  const close = () => setActing(undefined);
  const begin = (kind: Kind, anchor: HTMLElement | null) => {
    const issues = subjects(selection);
    if (issues.length === 0 || !anchor) return;
    if (issues.length > MOST_AT_ONCE) return toast(tooMany(issues.length));
    setActing({ kind, anchor });
  };
  const byKey = (kind: Kind) => () =>
    begin(
      kind,
      document.querySelector<HTMLElement>(chosen > 0 ? `.bulk [data-kind="${kind}"]` : anchorOfCursor(selection)),
    );
  useKeys({
    s: byKey("state"),
    p: byKey("priority"),
    a: byKey("assignee"),
    l: byKey("label"),
    h: byKey("delegate"),
    z: undo,
  });
  return (
    <>
      {chosen > 0 && (
        <div class="bulk" role="toolbar" aria-label={`${chosen} selected`}>
          <b>{chosen} selected</b>
          <button
            class="btn quiet sq"
            type="button"
            aria-label="Let go of the selection"
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
              disabled={chosen > MOST_AT_ONCE}
              title={chosen > MOST_AT_ONCE ? tooMany(chosen) : undefined}
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

/** Asks about the issues that a change left open, because they are not proven. */
function AskUnproven() {
  const asked = unproven.value;
  const close = () => {
    unproven.value = undefined;
  };
  useEffect(() => close, []);
  if (!asked) return null;
  const [first, ...others] = asked.refused;
  return (
    <SureUnproven
      name={others.length > 0 ? plural(asked.refused.length, "issue") : (first?.issue.identifier ?? "")}
      lacks={asked.refused.map(({ words }) => words)}
      complete={asked.complete}
      close={close}
    />
  );
}

const tooMany = (count: number): string => `${count} issues are selected; at most ${MOST_AT_ONCE} change at once.`;
const anchorOfCursor = ({ cursor }: Selection): string => `[data-row="${CSS.escape(cursor.peek())}"]`;

interface ActingProps extends ActionsProps {
  kind: Kind;
  anchor: HTMLElement;
  close: () => void;
}

/** The values that the issues can be given. */
function Acting({ kind, anchor, selection, states, close, reload }: ActingProps) {
  const { data } = useQuery(IssueChoices, {});
  const issues = subjects(selection);
  const choices = data && choicesOf(kind, { issues, states, data });
  const label = ACTIONS.find(([each]) => each === kind)?.[1] ?? "";
  const choose = (id: string) => {
    close();
    const change = choices?.change(id);
    if (!change) return;
    changeIssues(issues, change, reload).catch((error: Error) => toast(error.message));
  };
  return (
    <Popover anchor={anchor} label={label} close={close}>
      <Chooser label={label} options={choices?.options ?? []} chosen={[]} choose={choose} />
    </Popover>
  );
}

interface Known {
  issues: readonly IssueRow[];
  states: ActionsProps["states"];
  data: IssueChoicesQuery;
}

interface Choices {
  options: Option[];
  change: (id: string) => Change;
}

/** The options of an action, and the change that each makes. */
function choicesOf(kind: Kind, { issues, states, data }: Known): Choices {
  const nameIn = (options: readonly Option[], id: string) => options.find((each) => each.id === id)?.name ?? "";
  const linked = (options: Option[], member: keyof IssueUpdateInput, before: (issue: IssueRow) => string | null) => ({
    options,
    change: (id: string): Change => ({
      words: id ? `set to ${nameIn(options, id)}` : "cleared",
      change: () => ({ [member]: id || null }),
      back: (issue) => ({ [member]: before(issue) }),
    }),
  });
  const users = (app: boolean, none: string): Option[] => [
    { id: "", name: none },
    ...data.users.nodes
      .filter((each) => each.app === app)
      .map(({ id, name }) => ({ id, name, icon: <Avatar name={name} bot={app} /> })),
  ];
  if (kind === "state") return statesOf(issues, states);
  if (kind === "priority") {
    const options = PRIORITIES.map((name, n) => ({ id: String(n), name, icon: <PriorityIcon priority={n} /> }));
    return {
      options,
      change: (id) => ({
        words: `set to ${nameIn(options, id)}`,
        change: () => ({ priority: Number(id) }),
        back: ({ priority }) => ({ priority }),
      }),
    };
  }
  if (kind === "assignee") return linked(users(false, "Nobody"), "assigneeId", (issue) => issue.assignee?.id ?? null);
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
    .map(({ id, name, color }) => ({ id, name, icon: <Swatch color={color} /> }));
  const has = ({ labelIds }: IssueRow, id: string) => labelIds.includes(id);
  return {
    options,
    change: (id) => {
      // A label that all of them have is taken off.
      const off = issues.every((issue) => has(issue, id));
      return {
        words: off ? `lost the label ${nameIn(options, id)}` : `got the label ${nameIn(options, id)}`,
        change: () => (off ? { removedLabelIds: [id] } : { addedLabelIds: [id] }),
        back: (issue) => (has(issue, id) ? { addedLabelIds: [id] } : { removedLabelIds: [id] }),
      };
    },
  };
}

/** States by their names: each issue takes that of its team. */
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
