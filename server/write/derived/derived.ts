import { readsAny, type Statement, writesAny } from "../../../db/open.ts";
import type { Log } from "../log.ts";
import type { Write } from "../write.ts";
import { deliveriesStatement } from "./deliveries.ts";
import { type CountChange, countChanges, countStatements } from "./issue-counts.ts";
import { changedTexts, textStatements } from "./texts.ts";

/** What follows from the changes of mutations that share a transaction and is not written yet: once for all of them is enough. */
export interface Derived {
  /** Changes that are not in the log yet, of rows that nothing has written since. */
  log: Log | undefined;
  /** The first and the last change that webhooks are to be told of. */
  changes: readonly [first: number, last: number] | undefined;
  /** Ids of rows whose text changed, by table. */
  texts: Map<string, string[]>;
  counts: CountChange[];
}

/** Nothing yet. */
export const nothingDerived = (): Derived => ({ log: undefined, changes: undefined, texts: new Map(), counts: [] });

/** Notes what follows from a mutation; `before` is the last number of the change log that was taken before it. */
export function noteDerived(write: Write, before: number): void {
  const { derived, entries } = write;
  if (entries.length > 0) derived.changes = [derived.changes?.[0] ?? before + 1, before + entries.length];
  for (const [table, ids] of changedTexts(write))
    derived.texts.set(table, [...(derived.texts.get(table) ?? []), ...ids]);
  derived.counts.push(...countChanges(write));
}

/** The statements that write it all but the log; from then on nothing else waits. `hooked`: whether a webhook may be enabled. */
export function derivedStatements(organizationId: string, derived: Derived, hooked: boolean): Statement[] {
  const { changes, texts, counts } = derived;
  Object.assign(derived, { ...nothingDerived(), log: derived.log });
  return [
    ...(changes && hooked ? [deliveriesStatement(organizationId, changes)] : []),
    ...textStatements(organizationId, texts),
    ...countStatements(organizationId, counts),
  ];
}

/** Tables that those statements write. */
const TABLES = ["delivery", "issueText", "commentText", "issueCount"];

/** Tells whether a statement has to find written what waits: it reads or changes it, or decides who is told of changes. */
export const needsDerived = ({ changes, texts, counts }: Derived, statement: Statement): boolean =>
  (changes !== undefined || texts.size > 0 || counts.length > 0) &&
  (readsAny(statement, TABLES) || writesAny(statement, [...TABLES, "webhook"]));
