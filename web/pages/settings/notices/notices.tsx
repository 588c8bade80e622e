import { useState } from "preact/hooks";
import {
  DeleteNoticeRule,
  type NoticeRuleRowFragment,
  NoticeRules,
  TestNoticeRule,
  UpdateNoticeRule,
} from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { type Column, DataTable } from "../../../parts/lists/data-table.tsx";
import { Loaded } from "../../../parts/lists/loaded.tsx";
import { Empty } from "../../../parts/states.tsx";
import { toast } from "../../../parts/toast.tsx";
import { place, setSearch } from "../../../shell/router.ts";
import { Intro, isOwner, OwnersOnly, Sure } from "../parts.tsx";
import { Deliveries } from "../webhooks/deliveries.tsx";
import { RuleForm } from "./rule-form.tsx";
import { Sent, SentByChannel } from "./sent.tsx";
import { CHANNELS, CONDITIONS } from "./words.ts";

type Rule = NoticeRuleRowFragment;

/** The rules of what is sent to whom when something happens. */
export const NoticesPart = () =>
  isOwner() ? (
    <Owned />
  ) : (
    <>
      <Intro title="Notices">A rule says what is sent when something happens, and how.</Intro>
      <OwnersOnly />
    </>
  );

function Owned() {
  const { data, error, reload } = useQuery(NoticeRules, {});
  const [edited, edit] = useState<Rule | "new">();
  const [leaving, leave] = useState<Rule>();
  const [version, again] = useState(0);
  const chosen = place.value.search.get("rule");
  const rules = data?.noticeRules.nodes;
  const done = (work: Promise<unknown>, words: string) =>
    void work
      .then(
        () => toast(words),
        (failure: Error) => toast(failure.message),
      )
      .finally(reload);
  const actions: Actions = {
    choose: ({ id }) => setSearch({ rule: id }),
    edit,
    leave,
    test: ({ id }) => {
      setSearch({ rule: id });
      done(
        request(TestNoticeRule, { id }).then(() => again((n) => n + 1)),
        "A test is sent.",
      );
    },
    setEnabled: ({ id }, enabled) =>
      done(
        request(UpdateNoticeRule, { id, input: { enabled } }),
        enabled ? "It is watched." : "It is watched no more.",
      ),
  };
  return (
    <>
      <Intro
        title="Notices"
        action={
          <button class="btn" type="button" onClick={() => edit("new")}>
            <Icon name="plus" class="i-14" />
            Add a rule
          </button>
        }
      >
        A rule says what is sent when something happens, and how. Messages about one thing come once an hour at most.
      </Intro>
      <Loaded data={rules} error={error} retry={reload} lines={4}>
        {(all) => (
          <Rules rules={all} chosen={all.find(({ id }) => id === chosen) ?? all[0]} actions={actions} key={version} />
        )}
      </Loaded>
      {edited && <RuleForm rule={edited === "new" ? undefined : edited} close={() => edit(undefined)} saved={reload} />}
      {leaving && (
        <Sure
          title="Delete this rule?"
          action="Delete"
          act={() => request(DeleteNoticeRule, { id: leaving.id }).then(reload)}
          close={() => leave(undefined)}
        >
          What waits to be sent by “{leaving.name}” is dropped.
        </Sure>
      )}
    </>
  );
}

interface Actions {
  choose: (rule: Rule) => void;
  edit: (rule: Rule) => void;
  /** Asks before a rule is deleted. */
  leave: (rule: Rule) => void;
  test: (rule: Rule) => void;
  setEnabled: (rule: Rule, enabled: boolean) => void;
}

const Rules = ({ rules, chosen, actions }: { rules: readonly Rule[]; chosen: Rule | undefined; actions: Actions }) =>
  chosen ? (
    <>
      <SentByChannel rules={rules} />
      <div class="card">
        <DataTable label="Rules" rows={rules} columns={columns(actions)} keyOf={({ id }) => id} />
      </div>
      <Deliveries
        key={chosen.id}
        from="notice-rules"
        id={chosen.id}
        target={chosen.name}
        error={chosen.error ?? null}
        none="Nothing was sent by this rule. A test is, within some seconds."
      />
    </>
  ) : (
    <Empty icon="clock" title="No rules yet" />
  );

const columns = ({ choose, edit, leave, test, setEnabled }: Actions): Column<Rule>[] => [
  {
    name: "Rule",
    class: "wide",
    cell: (rule) => (
      <button class="plain name cut" type="button" title={rule.name} onClick={() => choose(rule)}>
        <bdi>{rule.name}</bdi>
      </button>
    ),
  },
  { name: "When", class: "mid l2", cell: ({ condition }) => CONDITIONS[condition] },
  {
    name: "How",
    class: "mid only-wide",
    cell: ({ channel, emails, targetHost }) => (
      <span title={emails.join(", ")}>
        {CHANNELS[channel]} <bdi class="dim">{targetHost ?? emails[0]}</bdi>
        {emails.length > 1 && <span class="dim"> and {emails.length - 1} more</span>}
      </span>
    ),
  },
  { name: "30 days", class: "num only-wide", cell: (rule) => <Sent {...rule} /> },
  {
    name: "Watched",
    class: "r2",
    cell: (rule) => (
      <label>
        <span class="sr">{rule.name} is watched</span>
        <input
          class="check"
          type="checkbox"
          checked={rule.enabled}
          onChange={(event) => setEnabled(rule, event.currentTarget.checked)}
        />
      </label>
    ),
  },
  {
    name: "Actions",
    quiet: true,
    class: "num wide",
    cell: (rule) => (
      <span class="row to-end">
        {(
          [
            ["Test", test],
            ["Edit", edit],
            ["Delete", leave],
          ] as const
        ).map(([name, act]) => (
          <button key={name} class="btn quiet thin" type="button" onClick={() => act(rule)}>
            {name}
            <span class="sr"> {rule.name}</span>
          </button>
        ))}
      </span>
    ),
  },
];
