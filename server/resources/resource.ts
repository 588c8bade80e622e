import type { z } from "zod";
import type { Entity, EntityModel, GivenValueInputs, StatementBuild, ToMany, ToOne } from "../read/entity.ts";
import type { Selection } from "../read/selection.ts";
import type { Scope } from "../scope.ts";
import type { MutationResult, WriteContext } from "../write/write.ts";

/** Coerced arguments of a mutation. */
export type CoercedArguments = Readonly<Record<string, unknown>>;

/**
 * Role that a mutation needs: `member`, `owner`, or a function that returns the role for the arguments as sent. An
 * OAuth token never allows a mutation that needs an owner, even if an owner granted the token.
 */
export type RequiredRole = Scope["role"] | ((args: CoercedArguments) => Scope["role"]);

/** A mutation: the required role, the validation of its `input` argument, and the function with its rules. */
export interface Mutation {
  /** Checked first, also for replays. */
  needs: RequiredRole;
  input?: z.ZodType;
  /**
   * Recorded tables that the mutation reads. The mutation waits until earlier recordings are folded into these
   * tables.
   */
  reads?: readonly string[] | ((args: CoercedArguments) => readonly string[]);
  run(write: WriteContext, args: CoercedArguments): Promise<MutationResult> | MutationResult;
  /** Completes the result of a replay with values that are not stored, such as a secret. */
  onReplay?(write: WriteContext, result: MutationResult): Promise<MutationResult>;
  /** Continues after the commit with work that is too large for one transaction, with a separate deadline. */
  finish?(scope: Scope, model: EntityModel, result: MutationResult): Promise<MutationResult>;
}

/** Returns a mutation whose `input` argument has the type of the validation schema. */
export const defineInputMutation = <Schema extends z.ZodType, Rest = object>(
  needs: RequiredRole,
  input: Schema,
  run: (write: WriteContext, input: z.infer<Schema>, args: Rest) => Promise<MutationResult> | MutationResult,
): Mutation => ({
  needs,
  input,
  run: (write, args) => run(write, args.input as z.infer<Schema>, args as Rest),
});

/** Returns a mutation that takes the id of a row and no input. */
export const defineIdMutation = <Args = { id: string }>(
  needs: RequiredRole,
  run: (write: WriteContext, args: Args) => Promise<MutationResult> | MutationResult,
): Mutation => ({
  needs,
  run: (write, args) => run(write, args as Args),
});

/** A root field of Query that has its own SQL for the JSON of the value, such as `node` or `searchIssues`. */
export interface RootFieldValue {
  sql(build: StatementBuild, selection: Selection): string;
  /**
   * Returns the cost of work that the selected fields do not show. The unit is the comparison of a long text with one
   * word, which costs 100 points and takes at worst about a tenth of a second.
   */
  scans?(args: CoercedArguments): number;
  /**
   * Returns the arguments in the form that the field uses. For example, a text argument may contain values for other
   * arguments.
   */
  normalized?(args: CoercedArguments): CoercedArguments;
  /** Argument that appears in the SQL as a literal number, such as a limit. */
  literal?: string;
  /**
   * Name of an argument that contains an identifier or a text. Two forms of the SQL are needed, because an identifier
   * finds one entity and a text finds several entities.
   */
  identifiedBy?: string;
  /** True if the field searches texts. All searches of a request share the read limit of the statement. */
  searches?: true;
  /**
   * Returns the time limit of the statement in milliseconds, for fields whose work is not limited by the rows that they
   * read. When the limit passes, the server compiles the statement again so that less is read; with a limit of 0, the
   * server does so immediately. `asked` contains the arguments of each such field in the statement; `searches` is the
   * number of searches.
   */
  limit?(scope: Scope, asked: readonly CoercedArguments[], searches: number): Promise<number>;
  /** Maximum number of entries of a list without pages. */
  most?: number;
  /** Returns the error that the client receives when the SQL returns null. */
  refusal?(scope: Scope, args: CoercedArguments): Promise<Error>;
}

/**
 * Computes a named value for a query's SQL before the statement is sent. `of` is the part of the name after a colon.
 */
export type QueryValueResolver = (inputs: GivenValueInputs, of: string) => Promise<unknown>;

/** A resource: an entity, with root fields and mutations. */
export interface Resource {
  entity: Entity;
  /** Root fields of Query that are one row. */
  one?: Record<string, ToOne>;
  /** Root fields of Query that are lists. */
  many?: Record<string, ToMany>;
  /**
   * Functions that check the arguments of root fields with the help of the database. A function throws an error if the
   * arguments are not allowed.
   */
  admits?: Record<string, (scope: Scope, args: CoercedArguments) => Promise<void>>;
  /** Root fields of Query that are no entities. */
  values?: Record<string, RootFieldValue>;
  mutations?: Record<string, Mutation>;
  given?: Record<string, QueryValueResolver>;
}
