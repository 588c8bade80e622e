import type { ComponentChildren } from "preact";
import { count, duration, money } from "../../parts/texts/format.ts";
import { ProofMark } from "../issues/marks.tsx";
import { tookOf } from "../sessions/row.tsx";
import type { Run } from "./compare.tsx";

/** A figure of both runs, and by how much the second differs. */
interface Figure {
  name: string;
  a: ComponentChildren;
  b: ComponentChildren;
  difference: string;
}

const tokensOf = ({ totals }: Run): number => totals.inputTokens + totals.outputTokens;

/** Verdicts on the issues of a run, the one first that most needs to be seen. */
const VERDICTS = ["contradicted", "unproven", "verified"];

/** The verdict on the issues that a run has to do with; undefined where nothing was judged. */
const verdictOf = ({ issues }: Run): string | undefined =>
  VERDICTS.find((verdict) => issues.nodes.some(({ proof }) => proof?.verdict === verdict));

/** The sums of both runs, a row each; on a small screen a column each. */
export function Totals({ a, b, files }: { a: Run; b: Run; files: [number, number] }) {
  const figures: Figure[] = [
    figure("Duration", tookOf(a), tookOf(b), duration),
    figure("Turns", a.totals.turns, b.totals.turns, count),
    figure("Tool calls", a.totals.toolCalls, b.totals.toolCalls, count),
    figure("Failures", a.totals.failures, b.totals.failures, count),
    figure("Tokens", tokensOf(a), tokensOf(b), count),
    figure("Cost", a.totals.cost, b.totals.cost, money),
    figure("Files changed", files[0], files[1], count),
    { name: "Proof", a: <Proof run={a} />, b: <Proof run={b} />, difference: "" },
  ];
  const rows: [name: string, shown: (figure: Figure) => ComponentChildren][] = [
    ["A", ({ a: left }) => left],
    ["B", ({ b: right }) => right],
    ["B to A", ({ difference }) => difference],
  ];
  return (
    <section class="compare-sums" aria-label="Sums">
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

function Proof({ run }: { run: Run }) {
  const verdict = verdictOf(run);
  return verdict ? (
    <span class="compare-proof">
      <ProofMark verdict={verdict} named />
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
