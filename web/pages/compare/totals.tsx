import type { ComponentChildren } from "preact";
import { formatCost, formatCount, formatDuration } from "../../parts/texts/format.ts";
import { ProofVerdictBadge } from "../issues/marks.tsx";
import { computeSessionDuration } from "../sessions/row.tsx";
import type { ComparedRun } from "./compare.tsx";

/** A value of both runs, such as the cost, with the difference. */
interface Figure {
  name: string;
  a: ComponentChildren;
  b: ComponentChildren;
  difference: string;
}

const tokensOf = ({ totals }: ComparedRun): number => totals.inputTokens + totals.outputTokens;

/** Verdicts, ordered by importance for the reader. */
const VERDICTS = ["contradicted", "unproven", "verified"];

/** Returns the most important verdict on the issues of a run; undefined if no issue has a verdict. */
const verdictOf = ({ issues }: ComparedRun): string | undefined =>
  VERDICTS.find((verdict) => issues.nodes.some(({ proof }) => proof?.verdict === verdict));

/** Totals of both runs: one row per run, or one column per run on a small screen. */
export function ComparedTotals({ a, b, files }: { a: ComparedRun; b: ComparedRun; files: [number, number] }) {
  const figures: Figure[] = [
    figure("Duration", computeSessionDuration(a), computeSessionDuration(b), formatDuration),
    figure("Turns", a.totals.turns, b.totals.turns, formatCount),
    figure("Tool calls", a.totals.toolCalls, b.totals.toolCalls, formatCount),
    figure("Failures", a.totals.failures, b.totals.failures, formatCount),
    figure("Tokens", tokensOf(a), tokensOf(b), formatCount),
    figure("Cost", a.totals.cost, b.totals.cost, formatCost),
    figure("Files changed", files[0], files[1], formatCount),
    { name: "Proof", a: <Proof run={a} />, b: <Proof run={b} />, difference: "" },
  ];
  const rows: [name: string, shown: (figure: Figure) => ComponentChildren][] = [
    ["A", ({ a: left }) => left],
    ["B", ({ b: right }) => right],
    ["B compared with A", ({ difference }) => difference],
  ];
  return (
    <section class="compare-sums" aria-label="Comparison of totals">
      <table role="table" aria-label="Totals">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader">
              <span class="sr">Run</span>
            </th>
            {figures.map(({ name }) => (
              <th key={name} role="columnheader">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(([which, shown]) => (
            <tr key={which} role="row">
              <th role="rowheader">{which}</th>
              {figures.map((each) => (
                <td key={each.name} role="cell">
                  {shown(each)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Proof({ run }: { run: ComparedRun }) {
  const verdict = verdictOf(run);
  return verdict ? (
    <span class="compare-proof">
      <ProofVerdictBadge verdict={verdict} named />
    </span>
  ) : null;
}

const figure = (name: string, a: number | null, b: number | null, show: (value: number) => string): Figure => ({
  name,
  a: a === null ? "unknown" : show(a),
  b: b === null ? "unknown" : show(b),
  difference: differenceOf(a, b, show),
});

function differenceOf(a: number | null, b: number | null, show: (value: number) => string): string {
  if (a === null || b === null) return "";
  if (a === b) return "same";
  return `${b > a ? "+" : "−"}${show(Math.abs(b - a))}`;
}
