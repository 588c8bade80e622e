import type { z } from "zod";
import type { Principal } from "../auth/principal.ts";
import type { Runtime } from "../runtime.ts";
import * as field from "./fields.ts";

/**
 * The callers of a route: anyone; anyone, with an account's bearer if one is sent; an account; a member of the
 * organization in the token; or one of its owners.
 */
export type Access = "public" | "optional" | "account" | "member" | "owner";

/** A principal whose token carries an organization it belongs to. */
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

/** The input of a route's function: everything checked, nothing of HTTP. */
export interface Call<A extends Access = Access, Body = unknown, Query = unknown> {
  runtime: Runtime;
  caller: Callers[A];
  body: Body;
  query: Query;
  /** The `:name` parts of the path; every one is a UUID. */
  params: Record<string, string>;
  /** The caller's network address. */
  address: string;
}

/** A value after JSON: a Date may stand in the place of a reply's string. */
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

/** The part of a declaration that is the same for every route. */
interface Described {
  summary: string;
  /** Details that the summary leaves open. */
  description: string;
  access: Access;
  /** Failures of this route's own, by status: their meaning and code. The common ones are added. */
  errors?: Record<number, string>;
  /** Lets a page's cookie take the place of the body's `refreshToken`. */
  takesRefreshToken?: true;
  /** Lets a page's cookie take the place of the body's `browser`. */
  takesBrowser?: true;
  /** The page's cookie is over. */
  endsLogin?: true;
}

interface Declaration<A extends Access, B, Q, R extends Record<number, Schema>> extends Described {
  access: A;
  body?: B;
  query?: Q;
  /** The answers of a success, by status; the first is the usual one. */
  replies: R;
  /** Chooses among several replies. */
  status?: (reply: Wire<Output<R[keyof R]>>) => keyof R;
  run: (call: Call<A, Output<B>, Output<Q>>) => Promise<Wire<Output<R[keyof R]>>>;
}

/** A route as the middleware and the document read it. */
export interface Route extends Described {
  method: Method;
  /** In full, `:name` for the parts that vary. */
  path: string;
  tag: string;
  body?: Schema;
  query?: z.ZodObject;
  replies: Record<number, Schema>;
  status?: (reply: unknown) => number;
  run: (call: Call) => Promise<unknown>;
}

/**
 * Declares an endpoint once. The request check, the reply check of the tests and /api/openapi.json all come from it.
 */
export function route<
  A extends Access,
  R extends Record<number, Schema>,
  B extends Schema | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
>(endpoint: `${Method} /api/${string}`, tag: string, declaration: Declaration<A, B, Q, R>): Route {
  const [method, path] = endpoint.split(" ");
  return { ...declaration, method, path, tag } as unknown as Route;
}

/** Declares an endpoint that answers nothing but its success. */
export function action<A extends Access, B extends Schema | undefined = undefined>(
  endpoint: `${Method} /api/${string}`,
  tag: string,
  { does, ...declaration }: Described & { access: A; body?: B; does: (call: Call<A, Output<B>>) => Promise<unknown> },
): Route {
  const run = async (call: Call<A, Output<B>>) => {
    await does(call);
    return field.done;
  };
  return route(endpoint, tag, { ...declaration, replies: { 200: field.success }, run });
}
