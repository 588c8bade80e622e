import type { Build, Derivation } from "./entity.ts";

/**
 * The ways to read a table faster, for one that is large, or that every mutation reads. What is left out costs a small
 * resource nothing; docs/resources.md says when each pays.
 */
export interface Tuning {
  /**
   * It is short beside tables that link to it: a filter finds its rows first, and then those of the others. Where every
   * change of it but to counters is in the log, its rows may be `cached`: the database checks that no change came since.
   */
  few?: true | "cached";
  /** SQL of how many rows there are at most, where a table may be too long to be sorted for one page. */
  most?(build: Build): string;
  /** Columns beside the moments that are never null, which lists may be ordered by. */
  required?: readonly string[];
  /** `updatedAt` is never before `createdAt`. */
  updatedLast?: true;
  /** Columns whose values are long, and the most bytes one may have: many together are measured before they are read. */
  long?: Readonly<Record<string, number>>;
  /** Further values that are made of long ones: how many comparisons of one each comparison of them counts as. */
  scanned?: Readonly<Record<string, number>>;
  /** Values that are derived from its rows. Every mutation that changes a row has read it before. */
  derives?: readonly Derivation[];
  /**
   * A mutation reads of a row nothing but the row and its parts: rows of these link tables, by the column that
   * holds its id. So mutations that share a transaction may keep what they read of other rows. With `logged` that
   * is so for what the log shows too: it takes the changes of all of them at once.
   */
  separate?: { parts?: Readonly<Record<string, string>>; logged?: true };
}
