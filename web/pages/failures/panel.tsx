import { useRef, useState } from "preact/hooks";
import { Failure, type FailureQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { CollapsibleSection } from "../../parts/fold.tsx";
import { Icon } from "../../parts/icon.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { ReadError } from "../../parts/states.tsx";
import { removeAnsi } from "../../parts/texts/ansi.ts";
import { formatPlural, truncate } from "../../parts/texts/format.ts";
import { LongText } from "../../parts/texts/long-text.tsx";
import { Age } from "../../parts/time/time.tsx";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { navigate } from "../../shell/router.ts";
import { extractMessageText } from "../sessions/row.tsx";
import { FileIssueDialog } from "../tools/file-issue.tsx";
import { FailureCost, FailureCountsByAgent } from "./agents.tsx";
import { PeriodComparisonPopover } from "./before.tsx";
import { FailureDifferences } from "./differences.tsx";
import { IgnoredUntil, IgnoreFailureDialog, unignoreFailureGroup } from "./ignore.tsx";
import { buildGroupHref } from "./list.tsx";
import { DailyFailuresChart, FailureStateBadge } from "./marks.tsx";

/** Failure group with all fields. */
export type FullFailureGroup = FailureQuery["recordedFailureGroup"];
type Example = FullFailureGroup["examples"][number];

/** Days in the chart of the panel. */
const DAYS = 30;

interface PanelProps {
  id: string;
  /** Ids of the groups in the list, in order. */
  siblings: readonly string[];
  /** Reads the list again. */
  changed: () => Promise<void>;
}

/** Panel beside the list for one failure group: state, actions and examples. */
export function FailureGroupPanel({ id, siblings, changed }: PanelProps) {
  const { data, error, reload } = useQuery(Failure, { id });
  const [asks, ask] = useState<"file" | "ignore" | "before">();
  const group = data?.recordedFailureGroup;
  const close = () => navigate(buildGroupHref(""));
  const at = siblings.indexOf(id);
  const to = (by: number) => {
    const next = siblings[at + by];
    if (next) navigate(buildGroupHref(next), { replace: true });
  };
  const again = () => void Promise.all([reload(), changed()]);
  const closeFiling = () => {
    ask(undefined);
    again();
  };
  const ignore = () => {
    if (group?.state === "ignored") void unignoreFailureGroup(id).then(again);
    else ask("ignore");
  };
  const before = useRef<HTMLButtonElement>(null);
  useKeyboardShortcuts({
    c: () => group && ask("file"),
    i: () => group && ignore(),
    b: () => group && ask("before"),
    Escape: close,
  });
  return (
    <aside class="panel up" aria-label="Failure group">
      <header>
        <span class="grab" />
        <div class="row">
          {group && <FailureStateBadge state={group.state} />}
          <bdi class="dim cut">{group?.tool}</bdi>
          <span class="acts">
            <Step name="Previous group" icon="up" press={() => to(-1)} off={at <= 0} />
            <Step name="Next group" icon="dn" press={() => to(1)} off={at < 0 || at === siblings.length - 1} />
            <Step name="Close" icon="x" press={close} off={false} />
          </span>
        </div>
        {group && (
          <>
            <h2 class="whole">
              <bdi>{group.message || "(no message)"}</bdi>
            </h2>
            <div class="row">
              {group.issue ? (
                <a class="btn pri" href={new URL(group.issue.url).pathname}>
                  {group.issue.identifier}
                </a>
              ) : (
                <button class="btn pri" type="button" onClick={() => ask("file")}>
                  File an issue <kbd class="only-wide">C</kbd>
                </button>
              )}
              <button class="btn" type="button" onClick={ignore}>
                {group.state === "ignored" ? "Stop ignoring" : "Ignore"} <kbd class="only-wide">I</kbd>
              </button>
              <button
                ref={before}
                class="btn"
                type="button"
                aria-haspopup="dialog"
                title="Compare with the previous period"
                onClick={() => ask("before")}
              >
                Compare <kbd class="only-wide">B</kbd>
              </button>
            </div>
          </>
        )}
      </header>
      {error && !group ? (
        <ReadError
          error={error}
          retry={reload}
          icon="fail"
          title="Failure group not found"
          words="The failures may have been deleted, or the address may be mistyped."
          to={{ href: "/failures?state=all", name: "Go to all failures" }}
        />
      ) : (
        <LoadedContent data={group} error={error} retry={reload}>
          {(known) => <Body group={known} />}
        </LoadedContent>
      )}
      {asks === "before" && group && before.current && (
        <PeriodComparisonPopover group={group} anchor={before.current} close={() => ask(undefined)} />
      )}
      {asks === "file" && group && <FileIssueDialog group={group} close={closeFiling} />}
      {asks === "ignore" && group && <IgnoreFailureDialog group={group} close={() => ask(undefined)} done={again} />}
    </aside>
  );
}

interface StepProps {
  name: string;
  icon: "up" | "dn" | "x";
  press: () => void;
  off: boolean;
}

const Step = ({ name, icon, press, off }: StepProps) => (
  <button class="btn quiet sq" type="button" aria-label={name} title={name} onClick={press} disabled={off}>
    <Icon name={icon} class="i-14" />
  </button>
);

function Body({ group }: { group: FullFailureGroup }) {
  return (
    <>
      <IgnoredUntil group={group} />
      <dl class="kv">
        <dt>Count</dt>
        <dd>
          {group.count.toLocaleString()} in {formatPlural(group.sessions, "session")}
          {group.users > 0 && `, for ${formatPlural(group.users, "user")}`}
        </dd>
        <dt>First seen</dt>
        <dd>
          <Age at={group.firstAt} prose />
        </dd>
        <dt>Last seen</dt>
        <dd>
          <a href={`/sessions/${group.sessionId}/events/${group.eventId}`}>
            <Age at={group.lastAt} prose />
          </a>
        </dd>
        <dt>Agents</dt>
        <dd>
          <FailureCountsByAgent group={group} />
        </dd>
        <dt>Cost</dt>
        <dd>
          <FailureCost agents={group.agentCounts} />
        </dd>
        <dt>Tool</dt>
        <dd>
          <a href={`/tools/${encodeURIComponent(group.tool)}`}>
            <bdi>{group.tool}</bdi>
          </a>
        </dd>
      </dl>
      <div class="group-course">
        <div class="row between">
          <h3>30 days</h3>
          <span class="dim">one bar per day</span>
        </div>
        <DailyFailuresChart
          days={group.days}
          shown={DAYS}
          recent={group.state === "new" || group.state === "back"}
          class="large"
        />
      </div>
      <FailureDifferences id={group.id} />
      <CollapsibleSection
        title="Examples"
        detail={`${formatPlural(group.examples.length, "example")} from ${formatPlural(group.count, "failure")}`}
      >
        <div class="examples">
          {group.examples.map((example, n) => (
            <OneExample key={example.event?.id ?? n} example={example} tool={group.tool} number={n + 1} />
          ))}
        </div>
      </CollapsibleSection>
    </>
  );
}

function OneExample({ example, tool, number }: { example: Example; tool: string; number: number }) {
  const { event, session, before, at } = example;
  if (!event || !session) return null;
  const title = extractMessageText(session.brief.message ?? "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return (
    <article aria-label={`Example ${number}`}>
      <p class="row between">
        <a class="cut" href={`/sessions/${session.id}/events/${event.id}`} title={title}>
          <bdi>{truncate(title, 200) || `Session ${session.id.slice(-8)}`}</bdi>
        </a>
        <span class="dim num">
          <Age at={at} />
        </span>
      </p>
      {before.length > 0 && (
        <ol class="steps" aria-label="Events before the failure">
          {before.map((step) => (
            <li key={step.id} class={step.success ? "dim" : "c-fail"}>
              <bdi class="mono">{step.name}</bdi> <bdi class="cut">{truncate(oneLine(step.args), 120)}</bdi>
            </li>
          ))}
        </ol>
      )}
      <LongText text={`${tool} ${removeAnsi(event.args ?? "")}`} label={`Arguments of example ${number}`} />
      <div class="bad">
        <LongText text={removeAnsi(event.result || event.errorMessage || "")} label={`Result of example ${number}`} />
      </div>
    </article>
  );
}

const oneLine = (text: string | null): string =>
  removeAnsi(text ?? "")
    .replaceAll(/\s+/g, " ")
    .trim();
