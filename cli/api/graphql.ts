import { EXIT, Failure } from "../failure.ts";
import { ask } from "./request.ts";

interface Answer<T> {
  data?: T;
  errors?: { message: string; extensions?: { code?: string; type?: string } }[];
}

/** Sends a document to /graphql with a personal key, and answers its data. */
export async function graphql<T>(
  { url, apiKey }: { url: string; apiKey: string },
  query: string,
  variables: Record<string, unknown> = {},
): Promise<T> {
  const { data, errors } = await ask<Answer<T>>(url, "/graphql", {
    method: "POST",
    body: { query, variables },
    headers: { Authorization: apiKey },
  });
  const [first] = errors ?? [];
  if (first) throw new Failure(first.message, { exit: exitOf(first.extensions?.code) });
  return data as T;
}

const exitOf = (code = "") =>
  /AUTH|FORBIDDEN/.test(code)
    ? EXIT.noAccess
    : code === "NOT_FOUND"
      ? EXIT.notFound
      : code === "CONFLICT"
        ? EXIT.conflict
        : EXIT.failed;

/** Whom a personal key belongs to, and where. */
export interface Viewer {
  viewer: { name: string; email: string; owner: boolean };
  organization: { name: string; urlKey: string };
}

/** Asks whose key it is. */
export const whoIs = (login: { url: string; apiKey: string }): Promise<Viewer> =>
  graphql<Viewer>(login, "{ viewer { name email owner } organization { name urlKey } }");

/** The owners of the organization, to whom one turns for what only they may do. */
export async function ownersOf(login: { url: string; apiKey: string }): Promise<string[]> {
  const query = "{ users(filter: { owner: { eq: true }, active: { eq: true } }, first: 5) { nodes { name email } } }";
  const { users } = await graphql<{ users: { nodes: { name: string; email: string }[] } }>(login, query);
  return users.nodes.map(({ name, email }) => `${name} <${email}>`);
}
