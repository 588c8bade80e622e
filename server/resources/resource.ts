import type { z } from "zod";
import type { Build, Entity, GivenInputs, Model, ToMany, ToOne } from "../read/entity.ts";
import type { Selection } from "../read/selection.ts";
import type { Scope } from "../scope.ts";
import type { Result, Write } from "../write/write.ts";

/** Coerced arguments of a mutation. */
export type Arguments = Readonly<Record<string, unknown>>;

/**
 * The right to a mutation: any member, owners alone, or whom the arguments say, as they were sent. No scope of OAuth
 * contains what needs an owner, whoever gave the token.
 */
export type Needs = Scope["role"] | ((args: Arguments) => Scope["role"]);

/** One mutation: who may do it, the checks of its `input` argument, and the function with its rules. */
export interface Mutation {
  /** Checked first of all, on a replay too. */
  needs: Needs;
  input?: z.ZodType;
  /** Tables of recordings that it reads: it waits until they hold what was recorded before. */
  reads?: readonly string[] | ((args: Arguments) => readonly string[]);
  run(write: Write, args: Arguments): Promise<Result> | Result;
  /** Completes the result of a replayed request with values that are not stored, such as a secret. */
  onReplay?(write: Write, result: Result): Promise<Result>;
  /** Goes on after the commit with what is too much for one transaction, within a deadline of its own. */
  finish?(scope: Scope, model: Model, result: Result): Promise<Result>;
}

/** A mutation whose `input` has the type its checks give it. */
export const mutation = <Schema extends z.ZodType, Rest = object>(
  needs: Needs,
  input: Schema,
  run: (write: Write, input: z.infer<Schema>, args: Rest) => Promise<Result> | Result,
): Mutation => ({
  needs,
  input,
  run: (write, args) => run(write, args.input as z.infer<Schema>, args as Rest),
});

/** A mutation that names a row and takes no input. */
export const action = <Args = { id: string }>(
  needs: Needs,
  run: (write: Write, args: Args) => Promise<Result> | Result,
): Mutation => ({
  needs,
  run: (write, args) => run(write, args as Args),
});

/** A root field of Query that is no entity: SQL of its JSON. */
export interface RootValue {
  sql(build: Build, selection: Selection): string;
  /**
   * Work that is not seen in what is selected, as comparisons of a long text with one word: 100 points each, and about a
   * tenth of a second at worst.
   */
  scans?(args: Arguments): number;
  /** Its arguments as they are acted on: a text may say what others say. */
  normalized?(args: Arguments): Arguments;
  /** The argument that stands in the SQL as the number it is: a limit. */
  literal?: string;
  /** The argument by which an identifier finds one entity by other SQL than a text finds several. */
  identifiedBy?: string;
  /** It looks for a text, and shares with others of the request what one statement may read. */
  searches?: true;
  /**
   * Milliseconds that its statement may take, where that is not bounded by what it reads: after them it is written anew
   * to read less; 0 has it read less at once. `asked` are the arguments of each such field of the statement, `searches`
   * is how many searches it is of.
   */
  limit?(scope: Scope, asked: readonly Arguments[], searches: number): Promise<number>;
  /** The number of entries of a list without pages. */
  most?: number;
  /** Why there is none, when the SQL answers null. */
  refusal?(scope: Scope, args: Arguments): Promise<Error>;
}

/**
 * Makes a value that a query's SQL takes by name, before its statement is sent. `of` is what follows a colon in the
 * name.
 */
export type GivenValue = (inputs: GivenInputs, of: string) => Promise<unknown>;

/** A resource: what it is, how it is read from the root of a query, and what changes it. */
export interface Resource {
  entity: Entity;
  /** Root fields of Query that are one row. */
  one?: Record<string, ToOne>;
  /** Root fields of Query that are lists. */
  many?: Record<string, ToMany>;
  /** Checks of the arguments of such a root field that have to ask the database. They throw what is wrong. */
  admits?: Record<string, (scope: Scope, args: Arguments) => Promise<void>>;
  /** Root fields of Query that are neither. */
  values?: Record<string, RootValue>;
  mutations?: Record<string, Mutation>;
  given?: Record<string, GivenValue>;
}
