import { randomUUID } from "node:crypto";
import { readOwn } from "../../formats/own.ts";
import { EXIT, type ExitCode, Failure } from "../failure.ts";
import { tell } from "../output/print.ts";
import { ask, inWords } from "./request.ts";

/** The server to ask, and the key. */
export interface Caller {
  url: string;
  apiKey: string;
}

interface Refusal {
  message: string;
  /** `missing`: the input refers to a row that does not exist; `path`: the issues of a circle of relations. */
  extensions?: { code?: string; missing?: boolean; path?: readonly string[] };
}

interface Answer<T> {
  data?: T;
  errors?: Refusal[];
  /** `behind`: what was recorded in the last moments may be missing. */
  extensions?: { behind?: boolean };
}

/** Sends a document to /graphql with a personal key, and answers its data. A mutation is done once, however often it is sent. */
export async function graphql<T>(
  { url, apiKey }: Caller,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<T> {
  const { data, errors, extensions } = await ask<Answer<T>>(url, "/graphql", {
    method: "POST",
    body: { query, variables },
    headers: { Authorization: apiKey, ...(query.startsWith("mutation") && { "Idempotency-Key": randomUUID() }) },
    repeatable: true,
  });
  const [first] = errors ?? [];
  if (first) throw refusal(first);
  if (extensions?.behind) tell("What was recorded in the last moments may be missing. Run it again for that.");
  return data as T;
}

/** A refusal, which is written for those who call the API, in the command line's words. */
function refusal(first: Refusal): Failure {
  const exit = exitOf(first);
  if (!first.extensions?.path) return new Failure(inWords(first.message), { exit });
  const [circle = ""] = first.message.split("; ");
  return new Failure(inWords(circle), { exit, cure: "trackway unlink ISSUE OTHER, for two of these" });
}

const EXITS: Record<string, ExitCode> = {
  AUTHENTICATION_ERROR: EXIT.noAccess,
  FORBIDDEN: EXIT.noAccess,
  NOT_FOUND: EXIT.notFound,
  CONFLICT: EXIT.conflict,
  INPUT_ERROR: EXIT.usage,
  INVALID_INPUT: EXIT.usage,
  PAYLOAD_TOO_LARGE: EXIT.usage,
};

/** An input that refers to a missing row is a wrong input for the API; for who runs a command, something was not found. */
const exitOf = ({ extensions: { missing, code = "" } = {} }: Refusal): ExitCode =>
  missing ? EXIT.notFound : (readOwn(EXITS, code) ?? EXIT.failed);

/** Whom a personal key belongs to, and where. */
export interface Viewer {
  viewer: { name: string; email: string; owner: boolean };
  organization: { name: string; urlKey: string };
}

/** Asks whose key it is. */
export const whoIs = (login: Caller): Promise<Viewer> =>
  graphql<Viewer>(login, "{ viewer { name email owner } organization { name urlKey } }");

/** Sentences about services that send spans of which none is recognised. */
export async function unrecognisedServices(login: Caller): Promise<string[]> {
  const query = "{ recordedServices(first: 20) { nodes { id spans } } }";
  const { recordedServices } = await graphql<{ recordedServices: { nodes: { id: string; spans: number }[] } }>(
    login,
    query,
  );
  return recordedServices.nodes.map(({ id, spans }) => `${spans} spans of service ${id} told nothing but their names`);
}

/** The owners of the organization, to whom one turns for what only they may do. */
export async function ownersOf(login: Caller): Promise<string[]> {
  const query = "{ users(filter: { owner: { eq: true }, active: { eq: true } }, first: 5) { nodes { name email } } }";
  const { users } = await graphql<{ users: { nodes: { name: string; email: string }[] } }>(login, query);
  return users.nodes.map(({ name, email }) => `${name} <${email}>`);
}
