import type { Derivation, StatementBuild } from "./entity.ts";

/**
 * Options that make reads of a large table, or of a table that every mutation reads, faster. A small resource needs
 * no options; docs/resources.md explains when each option is worth the effort.
 */
export interface ReadTuning {
  /**
   * The table is small compared with the tables that link to it. A filter finds the rows of this table first, and
   * then the linking rows. `cached` keeps rows in memory. `cached` is allowed only if the change log contains every
   * change except counters, because the database checks a cached row by the number of the last change.
   */
  few?: true | "cached";
  /** Returns SQL for the maximum number of rows. For tables that may have too many rows to sort for one page. */
  most?(build: StatementBuild): string;
  /** Non-null columns by which lists may be sorted, in addition to the timestamps. */
  required?: readonly string[];
  /** `updatedAt` is never before `createdAt`. */
  updatedLast?: true;
  /**
   * Columns with long values, and the maximum bytes per value. If a result could become too large, the server
   * measures the values before it reads the values.
   */
  long?: Readonly<Record<string, number>>;
  /**
   * Other values that are derived from long values. Each number is how many comparisons of a long text the server
   * charges for one comparison of the derived value.
   */
  scanned?: Readonly<Record<string, number>>;
  /** Values derived from the table's rows. Every mutation that changes a row loads the row first. */
  derives?: readonly Derivation[];
  /**
   * Declares that a mutation reads only its own row, and the rows in the link tables `parts`, by the column that
   * contains the row's id. Mutations that share a transaction may therefore keep the other rows that they loaded.
   * `logged` declares the same for the values in the log, so that one statement logs the changes of all mutations.
   */
  separate?: { parts?: Readonly<Record<string, string>>; logged?: true };
}
