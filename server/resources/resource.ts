import type { z } from "zod";
import type { Build, Entity, GivenInputs, Model, ToMany, ToOne } from "../read/entity.ts";
import type { Selection } from "../read/selection.ts";
import type { Scope } from "../scope.ts";
import type { Result, Write } from "../write/write.ts";

/** Coerced arguments of a mutation. */
export type Arguments = Readonly<Record<string, unknown>>;

/**
 * Role that a mutation needs: any member, owners only, or depending on the arguments as sent. No OAuth scope allows a
 * mutation that needs an owner, whoever granted the token.
 */
export type Needs = Scope["role"] | ((args: Arguments) => Scope["role"]);

/** A mutation: the required role, the validation of its `input` argument, and the function with its rules. */
export interface Mutation {
  /** Checked first, also for replays. */
  needs: Needs;
  input?: z.ZodType;
  /**
   * Recorded tables that the mutation reads. The mutation waits until earlier recordings are folded into these
   * tables.
   */
  reads?: readonly string[] | ((args: Arguments) => readonly string[]);
  run(write: Write, args: Arguments): Promise<Result> | Result;
  /** Completes the result of a replay with values that are not stored, such as a secret. */
  onReplay?(write: Write, result: Result): Promise<Result>;
  /** Continues after the commit with work that is too large for one transaction, with a separate deadline. */
  finish?(scope: Scope, model: Model, result: Result): Promise<Result>;
}

/** Returns a mutation whose `input` argument has the type of the validation schema. */
export const mutation = <Schema extends z.ZodType, Rest = object>(
  needs: Needs,
  input: Schema,
  run: (write: Write, input: z.infer<Schema>, args: Rest) => Promise<Result> | Result,
): Mutation => ({
  needs,
  input,
  run: (write, args) => run(write, args.input as z.infer<Schema>, args as Rest),
});

/** Returns a mutation that takes the id of a row and no input. */
export const action = <Args = { id: string }>(
  needs: Needs,
  run: (write: Write, args: Args) => Promise<Result> | Result,
): Mutation => ({
  needs,
  run: (write, args) => run(write, args as Args),
});

/** A root field of Query that is no entity, with the SQL for its JSON. */
export interface RootValue {
  sql(build: Build, selection: Selection): string;
  /**
   * Hidden work, counted as comparisons of a long text with one word: 100 points each, and at worst about a tenth of
   * a second.
   */
  scans?(args: Arguments): number;
  /** Returns the arguments in the form that the field uses. A text may contain the values of other arguments. */
  normalized?(args: Arguments): Arguments;
  /** Argument that appears in the SQL as a literal number, such as a limit. */
  literal?: string;
  /**
   * Argument that may be an identifier. Different SQL finds one entity by an identifier, and several entities by a
   * text.
   */
  identifiedBy?: string;
  /** The field searches texts, and shares the read limit of the statement with the request's other searches. */
  searches?: true;
  /**
   * Time limit of the statement in milliseconds, for fields whose work is not limited by the rows that they read.
   * After the limit, the statement is compiled again to read less; 0 reads less immediately. `asked` contains the
   * arguments of each such field in the statement; `searches` is the number of searches.
   */
  limit?(scope: Scope, asked: readonly Arguments[], searches: number): Promise<number>;
  /** Maximum number of entries of a list without pages. */
  most?: number;
  /** Returns the reason for a missing value when the SQL returns null. */
  refusal?(scope: Scope, args: Arguments): Promise<Error>;
}

/**
 * Computes a named value for a query's SQL before the statement is sent. `of` is the part of the name after a colon.
 */
export type GivenValue = (inputs: GivenInputs, of: string) => Promise<unknown>;

/** A resource: an entity, with root fields and mutations. */
export interface Resource {
  entity: Entity;
  /** Root fields of Query that are one row. */
  one?: Record<string, ToOne>;
  /** Root fields of Query that are lists. */
  many?: Record<string, ToMany>;
  /** Checks of root field arguments that need the database. A check throws the error. */
  admits?: Record<string, (scope: Scope, args: Arguments) => Promise<void>>;
  /** Root fields of Query that are no entities. */
  values?: Record<string, RootValue>;
  mutations?: Record<string, Mutation>;
  given?: Record<string, GivenValue>;
}
