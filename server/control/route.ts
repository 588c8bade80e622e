import type { z } from "zod";
import type { Principal } from "../auth/principal.ts";
import type { Runtime } from "../runtime.ts";
import * as field from "./fields.ts";

/**
 * Callers that a route allows: anyone; anyone, optionally with an account's bearer; an account; a member of the
 * token's organization; or an owner of the organization.
 */
export type RouteAccess = "public" | "optional" | "account" | "member" | "owner";

/** A principal whose token names an organization of which the principal is a member. */
export interface MemberPrincipal extends Principal {
  organizationId: string;
  userId: string;
  role: "owner" | "member";
}

interface Callers {
  public: null;
  optional: Principal | null;
  account: Principal;
  member: MemberPrincipal;
  owner: MemberPrincipal;
}

/** Input of a route's function: validated, and without HTTP details. */
export interface RouteCall<A extends RouteAccess = RouteAccess, Body = unknown, Query = unknown> {
  runtime: Runtime;
  caller: Callers[A];
  body: Body;
  query: Query;
  /** Values of the `:name` parts of the path. Every value is a UUID. */
  params: Record<string, string>;
  /** Network address of the caller. */
  address: string;
}

/** The type of a reply that JSON serializes. The reply may contain a Date where the schema has a string. */
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

/** Fields that the declaration of every route has. */
interface Described {
  summary: string;
  /** Details that the summary omits. */
  description: string;
  access: RouteAccess;
  /** Errors that only this route has, by status: meaning and code. Common errors are added automatically. */
  errors?: Record<number, string>;
  /** True if a page may send its refresh token in a cookie instead of the body's `refreshToken`. */
  takesRefreshToken?: true;
  /** True if a page may send the browser's secret in a cookie instead of the body's `browser`. */
  takesBrowser?: true;
  /** The response clears the page's cookie. */
  endsLogin?: true;
}

interface Declaration<A extends RouteAccess, B, Q, R extends Record<number, Schema>> extends Described {
  access: A;
  body?: B;
  query?: Q;
  /** Schemas of the successful responses, by status. The first status is the default. */
  replies: R;
  /** Chooses the status if there are several replies. */
  status?: (reply: Wire<Output<R[keyof R]>>) => keyof R;
  run: (call: RouteCall<A, Output<B>, Output<Q>>) => Promise<Wire<Output<R[keyof R]>>>;
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
  run: (call: RouteCall) => Promise<unknown>;
}

/**
 * Declares an endpoint. The request validation, the response validation of the tests and /api/openapi.json all use
 * the declaration.
 */
export function defineRoute<
  A extends RouteAccess,
  R extends Record<number, Schema>,
  B extends Schema | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
>(endpoint: `${Method} /api/${string}`, tag: string, declaration: Declaration<A, B, Q, R>): Route {
  const [method, path] = endpoint.split(" ");
  return { ...declaration, method, path, tag } as unknown as Route;
}

/** Declares an endpoint that returns nothing but success. */
export function defineSuccessOnlyRoute<A extends RouteAccess, B extends Schema | undefined = undefined>(
  endpoint: `${Method} /api/${string}`,
  tag: string,
  {
    does,
    ...declaration
  }: Described & { access: A; body?: B; does: (call: RouteCall<A, Output<B>>) => Promise<unknown> },
): Route {
  const run = async (call: RouteCall<A, Output<B>>) => {
    await does(call);
    return field.successReply;
  };
  return defineRoute(endpoint, tag, { ...declaration, replies: { 200: field.successSchema }, run });
}
