import type { z } from "zod";
import type { Principal } from "../auth/principal.ts";
import type { Runtime } from "../runtime.ts";
import * as field from "./fields.ts";

/**
 * Callers that a route allows: anyone; anyone, optionally with an account's bearer; an account; a member of the
 * token's organization; or an owner of the organization.
 */
export type Access = "public" | "optional" | "account" | "member" | "owner";

/** A principal whose token names an organization of which the principal is a member. */
export interface Member extends Principal {
  organizationId: string;
  userId: string;
  role: "owner" | "member";
}

interface Callers {
  public: null;
  optional: Principal | null;
  account: Principal;
  member: Member;
  owner: Member;
}

/** Input of a route's function: validated, and without HTTP details. */
export interface Call<A extends Access = Access, Body = unknown, Query = unknown> {
  runtime: Runtime;
  caller: Callers[A];
  body: Body;
  query: Query;
  /** Values of the `:name` parts of the path. Every value is a UUID. */
  params: Record<string, string>;
  /** Network address of the caller. */
  address: string;
}

/** A value that JSON serializes. A Date may replace a string of the reply. */
type Wire<T> = string extends T
  ? T | Date
  : T extends readonly (infer E)[]
    ? Wire<E>[]
    : T extends object
      ? { [K in keyof T]: Wire<T[K]> }
      : T;

type Method = "get" | "post" | "patch" | "delete";
type Schema = z.ZodType;
type Output<S> = S extends Schema ? z.output<S> : undefined;

/** Fields of a declaration that every route has. */
interface Described {
  summary: string;
  /** Details that the summary omits. */
  description: string;
  access: Access;
  /** Errors that only this route has, by status: meaning and code. Common errors are added automatically. */
  errors?: Record<number, string>;
  /** A page's cookie may replace `refreshToken` in the body. */
  takesRefreshToken?: true;
  /** A page's cookie may replace `browser` in the body. */
  takesBrowser?: true;
  /** The response clears the page's cookie. */
  endsLogin?: true;
}

interface Declaration<A extends Access, B, Q, R extends Record<number, Schema>> extends Described {
  access: A;
  body?: B;
  query?: Q;
  /** Successful responses, by status. The first is the default. */
  replies: R;
  /** Chooses the status if there are several replies. */
  status?: (reply: Wire<Output<R[keyof R]>>) => keyof R;
  run: (call: Call<A, Output<B>, Output<Q>>) => Promise<Wire<Output<R[keyof R]>>>;
}

/** A route as the middleware and the OpenAPI document read it. */
export interface Route extends Described {
  method: Method;
  /** Full path. `:name` stands for variable parts. */
  path: string;
  tag: string;
  body?: Schema;
  query?: z.ZodObject;
  replies: Record<number, Schema>;
  status?: (reply: unknown) => number;
  run: (call: Call) => Promise<unknown>;
}

/**
 * Declares an endpoint. The request validation, the response validation of the tests and /api/openapi.json all use
 * the declaration.
 */
export function defineRoute<
  A extends Access,
  R extends Record<number, Schema>,
  B extends Schema | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
>(endpoint: `${Method} /api/${string}`, tag: string, declaration: Declaration<A, B, Q, R>): Route {
  const [method, path] = endpoint.split(" ");
  return { ...declaration, method, path, tag } as unknown as Route;
}

/** Declares an endpoint that returns nothing but success. */
export function defineAction<A extends Access, B extends Schema | undefined = undefined>(
  endpoint: `${Method} /api/${string}`,
  tag: string,
  { does, ...declaration }: Described & { access: A; body?: B; does: (call: Call<A, Output<B>>) => Promise<unknown> },
): Route {
  const run = async (call: Call<A, Output<B>>) => {
    await does(call);
    return field.done;
  };
  return defineRoute(endpoint, tag, { ...declaration, replies: { 200: field.success }, run });
}
