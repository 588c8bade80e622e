import { useState } from "preact/hooks";
import {
  DeleteNoticeRule,
  type NoticeRuleRowFragment,
  NoticeRules,
  TestNoticeRule,
  UpdateNoticeRule,
} from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { type Column, DataTable } from "../../../parts/lists/data-table.tsx";
import { LoadedContent } from "../../../parts/lists/loaded.tsx";
import { EmptyState } from "../../../parts/states.tsx";
import { showToast } from "../../../parts/toast.tsx";
import { appLocation, setSearchParameters } from "../../../shell/router.ts";
import { ConfirmDialog, isCurrentUserOwner, OwnersOnlyNote, SettingsPageHeader } from "../parts.tsx";
import { DeliveryLog } from "../webhooks/deliveries.tsx";
import { NoticeRuleForm } from "./rule-form.tsx";
import { SentMessageCounts, SentMessagesByChannel } from "./sent.tsx";
import { CHANNEL_LABELS, CONDITION_LABELS } from "./words.ts";

type Rule = NoticeRuleRowFragment;

/** Notice rules. A rule defines when Trackway sends a notice, and to whom. */
export const NoticeRulesSettings = () =>
  isCurrentUserOwner() ? (
    <Owned />
  ) : (
    <>
      <SettingsPageHeader title="Notices">A rule defines when and how Trackway sends a notice.</SettingsPageHeader>
      <OwnersOnlyNote />
    </>
  );

function Owned() {
  const { data, error, reload } = useQuery(NoticeRules, {});
  const [edited, edit] = useState<Rule | "new">();
  const [leaving, leave] = useState<Rule>();
  const [version, again] = useState(0);
  const chosen = appLocation.value.search.get("rule");
  const rules = data?.noticeRules.nodes;
  const done = (work: Promise<unknown>, words: string) =>
    void work
      .then(
        () => showToast(words),
        (failure: Error) => showToast(failure.message),
      )
      .finally(reload);
  const actions: Actions = {
    choose: ({ id }) => setSearchParameters({ rule: id }),
    edit,
    leave,
    test: ({ id }) => {
      setSearchParameters({ rule: id });
      done(
        requestGraphQL(TestNoticeRule, { id }).then(() => again((n) => n + 1)),
        "Test notice sent.",
      );
    },
    setEnabled: ({ id }, enabled) =>
      done(requestGraphQL(UpdateNoticeRule, { id, input: { enabled } }), enabled ? "Rule enabled." : "Rule disabled."),
  };
  return (
    <>
      <SettingsPageHeader
        title="Notices"
        action={
          <button class="btn" type="button" onClick={() => edit("new")}>
            <Icon name="plus" class="i-14" />
            Add a rule
          </button>
        }
      >
        A rule defines when and how Trackway sends a notice. Trackway sends at most one notice per hour about the same
        subject.
      </SettingsPageHeader>
      <LoadedContent data={rules} error={error} retry={reload} lines={4}>
        {(all) => (
          <Rules rules={all} chosen={all.find(({ id }) => id === chosen) ?? all[0]} actions={actions} key={version} />
        )}
      </LoadedContent>
      {edited && (
        <NoticeRuleForm rule={edited === "new" ? undefined : edited} close={() => edit(undefined)} saved={reload} />
      )}
      {leaving && (
        <ConfirmDialog
          title="Delete this rule?"
          action="Delete"
          act={() => requestGraphQL(DeleteNoticeRule, { id: leaving.id }).then(reload)}
          close={() => leave(undefined)}
        >
          Trackway discards notices of “{leaving.name}” that are not sent yet.
        </ConfirmDialog>
      )}
    </>
  );
}

interface Actions {
  choose: (rule: Rule) => void;
  edit: (rule: Rule) => void;
  /** Asks for a confirmation before a rule is deleted. */
  leave: (rule: Rule) => void;
  test: (rule: Rule) => void;
  setEnabled: (rule: Rule, enabled: boolean) => void;
}

const Rules = ({ rules, chosen, actions }: { rules: readonly Rule[]; chosen: Rule | undefined; actions: Actions }) =>
  chosen ? (
    <>
      <SentMessagesByChannel rules={rules} />
      <div class="card">
        <DataTable label="Rules" rows={rules} columns={columns(actions)} keyOf={({ id }) => id} />
      </div>
      <DeliveryLog
        key={chosen.id}
        from="notice-rules"
        id={chosen.id}
        target={chosen.name}
        error={chosen.error ?? null}
        none="This rule has not sent a notice yet. A test notice is sent within a few seconds."
      />
    </>
  ) : (
    <EmptyState icon="clock" title="No rules yet" />
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
  { name: "When", class: "mid l2", cell: ({ condition }) => CONDITION_LABELS[condition] },
  {
    name: "Channel",
    class: "mid only-wide",
    cell: ({ channel, emails, targetHost }) => (
      <span title={emails.join(", ")}>
        {CHANNEL_LABELS[channel]} <bdi class="dim">{targetHost ?? emails[0]}</bdi>
        {emails.length > 1 && <span class="dim"> and {emails.length - 1} more</span>}
      </span>
    ),
  },
  { name: "30 days", class: "num only-wide", cell: (rule) => <SentMessageCounts {...rule} /> },
  {
    name: "Enabled",
    class: "r2",
    cell: (rule) => (
      <label>
        <span class="sr">{rule.name} is enabled</span>
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
