import { createInterface } from "node:readline";
import { formatRemoval, formatRemovalQuestion, isConfirmation, type RemovalSummary } from "../../formats/removal.ts";
import { writeResult } from "../../system/streams.ts";
import { inputError } from "../errors.ts";

/** The items that a destructive command would remove, and how the operator confirms the removal. */
export interface RemovalPlan {
  /** Counts of the items. The first entry is the kind that the command removes. */
  removals: readonly [RemovalSummary, ...RemovalSummary[]];
  /** Further lines: the number of rows of each table, or side effects. */
  notes: readonly string[];
  /**
   * `never`: the arguments already confirm the plan. `terminal`: a person at a terminal must confirm, and a script need
   * not. `always`: a person at a terminal must confirm, and a script is refused.
   */
  asks: "never" | "terminal" | "always";
  /** The arguments that remove exactly the shown items, even if a name now belongs to another item. */
  args: readonly string[];
  /** Command line that runs the command without a confirmation. */
  unasked: string;
}

const linesOf = ({ removals, notes }: RemovalPlan): string[] => [...removals.flatMap(formatRemoval), ...notes];

/**
 * Prints a plan. At a terminal a person must type a word, unless the arguments confirm the plan.
 * @returns the arguments that carry the plan out. @throws inputError when nobody confirms
 */
export async function confirmRemovalPlan(plan: RemovalPlan): Promise<readonly string[]> {
  writeResult(`${linesOf(plan).join("\n")}\n`);
  const [removal] = plan.removals;
  if (plan.asks === "never" || removal.count === 0) return plan.args;
  const canAsk = process.stdin.isTTY && process.stderr.isTTY;
  if (!canAsk && plan.asks === "terminal") return plan.args;
  const cure = `to confirm without a terminal: npm run admin -- ${plan.unasked}`;
  if (!canAsk) throw inputError(`the command was not confirmed, and nothing was changed; ${cure}`);
  if (!isConfirmation(await askLine(formatRemovalQuestion(removal)), removal))
    throw inputError(`stopped, and nothing was changed; ${cure}`);
  return plan.args;
}

/** Asks for a line of input; empty at the end of input. */
async function askLine(question: string): Promise<string> {
  process.stderr.write(`${question} `);
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    lines.close();
  }
}
