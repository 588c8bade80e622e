import type { Finding } from "./judge.ts";
import type { Answered, Ledger } from "./writers.ts";

/** A period in which a node of the database was away. */
export interface Absence {
  fault: string;
  /** The number of the node; 0 is the coordinator. */
  node: number;
  /** Start and end, by `performance.now()`. */
  from: number;
  to: number;
}

const COORDINATOR = 0;
/**
 * Limits for other organizations while a node is away: the minimum share of successes, and the maximum p95 relative
 * to the usual p95.
 */
const LEAST = 0.99;
const MOST_TIMES = 2;

/** Checks whether an organization's rows lie on the node. Every organization needs the coordinator. */
export const isAffected = ({ node }: Pick<Absence, "node">, ledger: Pick<Ledger, "node">): boolean =>
  node === COORDINATOR || node === ledger.node;

/** The responses during one fault, or during the time without faults. */
interface Row {
  during: string;
  organizations: string;
  requests: number;
  succeeded: string;
  statuses: string;
  p50: number;
  p95: number;
  p99: number;
}

/** Builds the table of responses: of affected and other organizations while a node was away, and of the usual time. */
export function buildResponseTable(ledgers: readonly Ledger[], absences: readonly Absence[]): Row[] {
  const faults = [...new Set(absences.map(({ fault }) => fault))];
  return [
    rowOf("no node away", "all", usual(ledgers, absences)),
    ...faults.flatMap((fault) => {
      const some = absences.filter((each) => each.fault === fault);
      return [true, false].flatMap((affected) => {
        const answers = during(ledgers, some, affected);
        return answers.length > 0 ? [rowOf(fault, affected ? "affected" : "others", answers)] : [];
      });
    }),
  ];
}

/** Judges the responses of organizations on other nodes while a worker was frozen. */
export function judgeOthers(ledgers: readonly Ledger[], absences: readonly Absence[]): Finding[] {
  const frozen = absences.filter(({ fault }) => fault.endsWith(" frozen"));
  const answers = during(ledgers, frozen, false);
  if (answers.length === 0) return [];
  const share = answers.filter(isSuccess).length / answers.length;
  const times = percentile(answers, 95) / Math.max(1, percentile(usual(ledgers, absences), 95));
  return [
    {
      what: "successes of other organizations while a worker is frozen, per mille",
      figure: Math.floor(share * 1_000),
      held: share >= LEAST,
    },
    { what: "their p95, as % of the usual", figure: Math.round(times * 100), held: times <= MOST_TIMES },
  ];
}

const isWithin = ({ at, ms }: Answered, { from, to }: Absence): boolean => at > from && at - ms < to;

const during = (ledgers: readonly Ledger[], absences: readonly Absence[], affected: boolean): Answered[] =>
  ledgers.flatMap((ledger) =>
    ledger.answers.filter((answer) =>
      absences.some((absence) => isWithin(answer, absence) && isAffected(absence, ledger) === affected),
    ),
  );

const usual = (ledgers: readonly Ledger[], absences: readonly Absence[]): Answered[] =>
  ledgers.flatMap(({ answers }) => answers.filter((one) => !absences.some((absence) => isWithin(one, absence))));

const isSuccess = ({ status }: Answered): boolean => status >= 200 && status < 300;

/** The percentile by nearest rank, in ms. */
function percentile(answers: readonly Answered[], share: number): number {
  const sorted = answers.map(({ ms }) => ms).sort((one, other) => one - other);
  return Math.round(sorted[Math.max(0, Math.ceil((share / 100) * sorted.length) - 1)] ?? 0);
}

function rowOf(name: string, organizations: string, answers: readonly Answered[]): Row {
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  return {
    during: name,
    organizations,
    requests: answers.length,
    succeeded: `${((100 * answers.filter(isSuccess).length) / Math.max(1, answers.length)).toFixed(1)} %`,
    statuses: [...counts].map(([status, count]) => `${status || "none"}: ${count}`).join(", "),
    p50: percentile(answers, 50),
    p95: percentile(answers, 95),
    p99: percentile(answers, 99),
  };
}
