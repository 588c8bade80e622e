import { useMemo, useState } from "preact/hooks";
import { Compared, type ComparedQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Icon, PathIcon } from "../../parts/icon.tsx";
import { ActivityChart, StatusIcon } from "../../parts/marks.tsx";
import { LoadingPlaceholder, ReadError } from "../../parts/states.tsx";
import { Age } from "../../parts/time/time.tsx";
import { useHistoryState } from "../../shell/kept.ts";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { navigate } from "../../shell/router.ts";
import type { EventTree } from "../session/events.ts";
import { useSessionOutline } from "../session/transcript/outline.ts";
import { formatSessionState, formatSessionTitle, isSessionRunning } from "../sessions/row.tsx";
import {
  type AlignedRow,
  alignRuns,
  type CallComparison,
  findChangedFiles,
  findDivergenceIndex,
  MAX_ALIGNED_EVENTS,
} from "./align.ts";
import { ComparedRows } from "./rows.tsx";
import { ComparedTotals } from "./totals.tsx";

/** Run as read for the comparison. */
export type ComparedRun = ComparedQuery["a"];

/** Page that compares two runs: aligned calls, the divergence, and the differences in totals. */
export default function ComparePage({ params: { a = "", b = "" } }: { params: Record<string, string> }) {
  const { data, error, reload } = useQuery(Compared, { a, b });
  const [first] = useSessionOutline(a);
  const [second] = useSessionOutline(b);
  const [left, right] = [first.value, second.value];
  const problem = error ?? left.error ?? right.error;
  const isReady = data && !left.loading && !right.loading;
  return (
    <Page title="Compare" fixed keys={KEYS}>
      {isReady && !problem ? (
        <Comparison a={data.a} b={data.b} left={left.tree} right={right.tree} />
      ) : (
        <>
          <Head a={a} b={b} />
          {problem ? (
            <ReadError
              error={problem}
              retry={reload}
              icon="sessions"
              title="Cannot compare these runs"
              words="Trackway did not find one of the two sessions. The session may have been deleted."
              to={{ href: "/sessions", name: "Go to sessions" }}
            />
          ) : (
            <LoadingPlaceholder />
          )}
        </>
      )}
    </Page>
  );
}

function Head({ a, b, toDivergence }: { a: string; b: string; toDivergence?: () => void }) {
  const swap = () => navigate(`/sessions/${b}/compare/${a}`, { replace: true });
  useKeyboardShortcuts({ x: swap, Escape: () => navigate(`/sessions/${a}`) });
  return (
    <header class="head deep compare-top">
      <nav class="crumb only-wide" aria-label="Breadcrumb">
        <a href="/sessions">Sessions</a>
        <Icon name="right" class="i-14" />
      </nav>
      <a href={`/sessions/${a}`} class="back" aria-label="Back to the session">
        <Icon name="right" />
      </a>
      <h1>Compare</h1>
      <div class="acts">
        <button class="btn quiet only-wide" type="button" onClick={swap}>
          Swap <kbd>X</kbd>
        </button>
        {toDivergence && (
          <button class="btn" type="button" onClick={toDivergence}>
            <Icon name="dn" class="i-14" />
            First divergence <kbd class="only-wide">D</kbd>
          </button>
        )}
      </div>
    </header>
  );
}

interface ComparisonProps {
  a: ComparedRun;
  b: ComparedRun;
  left: EventTree;
  right: EventTree;
}

function Comparison({ a, b, left, right }: ComparisonProps) {
  const rows = useMemo(() => alignRuns(left.all, right.all), [left, right]);
  const divergence = findDivergenceIndex(rows);
  const [shown, show] = useHistoryState<"differences" | "all">("shown", "differences");
  const [asked, ask] = useState(0);
  const toDivergence = () => ask(asked + 1);
  useKeyboardShortcuts({ d: toDivergence, a: () => show(shown === "all" ? "differences" : "all") });
  const isCut = Math.max(left.all.length, right.all.length) > MAX_ALIGNED_EVENTS;
  return (
    <>
      <Head a={a.id} b={b.id} {...(divergence >= 0 && { toDivergence })} />
      <div class="scroll compare">
        <div class="compare-heads">
          <RunHead letter="A" run={a} />
          <RunHead letter="B" run={b} />
        </div>
        <ComparedTotals a={a} b={b} files={[findChangedFiles(left.all).size, findChangedFiles(right.all).size]} />
        <div class="filters compare-bar">
          <div class="seg" role="group" aria-label="Rows shown">
            <button type="button" aria-pressed={shown !== "all"} onClick={() => show("differences")}>
              Differences
            </button>
            <button type="button" aria-pressed={shown === "all"} onClick={() => show("all")}>
              All {rows.length}
            </button>
          </div>
          <Legend rows={rows} />
        </div>
        {isCut && (
          <p class="hint pad">
            Trackway compares only the first {MAX_ALIGNED_EVENTS.toLocaleString()} events of each run.
          </p>
        )}
        <ComparedRows rows={rows} divergence={divergence} all={shown === "all"} asked={asked} a={a.id} b={b.id} />
      </div>
    </>
  );
}

function RunHead({ letter, run }: { letter: string; run: ComparedRun }) {
  const who = [run.source ?? run.brief.agent, run.totals.models[0], run.user?.id].filter(Boolean).join(", ");
  return (
    <section class="compare-head" aria-label={`Run ${letter}`}>
      <span class="letter" aria-hidden="true">
        {letter}
      </span>
      <div class="grow">
        <p class="row">
          <StatusIcon {...formatSessionState(run)} />
          <a class="cut" href={`/sessions/${run.id}`} title={formatSessionTitle(run)}>
            <bdi>{formatSessionTitle(run)}</bdi>
          </a>
        </p>
        <p class="dim cut">
          <bdi>{who}</bdi> · <Age at={run.startedAt} prose />
        </p>
      </div>
      <ActivityChart course={run.brief.course} live={isSessionRunning(run)} failures={run.totals.failures} />
    </section>
  );
}

/** Name, icon path and class of each kind of row. */
export const CALL_COMPARISON_STYLES: Record<CallComparison, [name: string, drawing: string, className: string]> = {
  same: ["same", "M3 6h10M3 10h10", ""],
  arguments: ["different arguments", "M3 6h10M3 10h10M10.5 3l-5 10", "c-acc"],
  result: ["different result", "M8 14V9M8 9 3.5 4.5M8 9l4.5-4.5M3.5 7.5v-3h3M12.5 7.5v-3h-3", "c-run"],
  a: ["only in A", "M3 8h10", ""],
  b: ["only in B", "M8 3v10M3 8h10", ""],
};

const Legend = ({ rows }: { rows: readonly AlignedRow[] }) => (
  <p class="legend" role="status">
    {Object.entries(CALL_COMPARISON_STYLES).map(([is, [name, drawing, tint]]) => (
      <span key={is} class={`row ${tint}`}>
        <PathIcon d={drawing} class="i-14" />
        {name} <b>{rows.filter((row) => row.is === is).length}</b>
      </span>
    ))}
  </p>
);

const KEYS: [string[], string][] = [
  [["J", "K"], "next, previous difference"],
  [["D"], "first divergence"],
  [["X"], "swap"],
  [["A"], "show all rows"],
  [["↵"], "open both calls"],
  [["Esc"], "back"],
];
