import { randomUUID } from "node:crypto";
import { API_TYPES } from "../../formats/api-types.ts";
import { isObject } from "../../formats/json.ts";
import { readOwn } from "../../formats/own.ts";
import { findSchemaMismatch } from "../../formats/response-shape.ts";
import { recordSentChange } from "../effect.ts";
import { EXIT, type ExitCode, Failure } from "../failure.ts";
import { printToStderr } from "../output/print.ts";
import { createForeignResponseFailure, type GraphqlError, readGraphqlErrors } from "./answer.ts";
import { sendRequest, toCommandLineTerms } from "./request.ts";

/** Address of the server and key for requests. */
export interface Caller {
  url: string;
  apiKey: string;
}

interface Answer {
  data?: unknown;
  errors?: unknown;
  extensions?: unknown;
}

/**
 * Sends a document to /graphql with a personal key and returns the data. The server runs a mutation once, even if the
 * request is repeated.
 */
export async function graphql<T>(
  { url, apiKey }: Caller,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<T> {
  if (query.startsWith("mutation")) recordSentChange();
  const { data, errors, extensions } = await sendRequest<Answer>(url, "/graphql", {
    method: "POST",
    body: { query, variables },
    headers: { Authorization: apiKey, ...(query.startsWith("mutation") && { "Idempotency-Key": randomUUID() }) },
    repeatable: true,
  });
  const refusals = readGraphqlErrors(errors);
  if (!refusals) throw createForeignResponseFailure(`${url}/graphql`, 200, "errors");
  const [first] = refusals;
  if (first) throw refusal(first);
  const misfit = findSchemaMismatch(query, data, API_TYPES);
  if (misfit) throw createForeignResponseFailure(`${url}/graphql`, 200, misfit);
  if (isObject(extensions) && extensions["behind"] === true)
    printToStderr("The newest events may be missing. Run the command again to include them.");
  return data as T;
}

/** Converts a GraphQL error, which is written for API clients, to the terms of the command line. */
function refusal(first: GraphqlError): Failure {
  const exit = getExitCode(first);
  if (!first.extensions.path) return new Failure(toCommandLineTerms(first.message), { exit });
  const [circle = ""] = first.message.split("; ");
  return new Failure(toCommandLineTerms(circle), {
    exit,
    cure: "trackway unlink ISSUE OTHER, for two of these issues",
  });
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

/**
 * Returns the exit code of a GraphQL error. An input that refers to a missing row is an invalid input for the API, but
 * "not found" for the user of a command.
 */
const getExitCode = ({ extensions: { missing, code = "" } }: GraphqlError): ExitCode =>
  missing ? EXIT.notFound : (readOwn(EXITS, code) ?? EXIT.failed);

/** User and organization of a personal key. */
export interface Viewer {
  viewer: { name: string; email: string; owner: boolean };
  organization: { name: string; urlKey: string };
}

/** Reads the user and the organization of the key. */
export const readViewer = (login: Caller): Promise<Viewer> =>
  graphql<Viewer>(login, "{ viewer { name email owner } organization { name urlKey } }");

/** Returns a sentence for each service whose spans Trackway does not recognize. */
export async function describeUnrecognizedServices(login: Caller): Promise<string[]> {
  const query = "{ recordedServices(first: 20) { nodes { id spans } } }";
  const { recordedServices } = await graphql<{ recordedServices: { nodes: { id: string; spans: number }[] } }>(
    login,
    query,
  );
  return recordedServices.nodes.map(({ id, spans }) => `${spans} spans of service ${id} told nothing but their names`);
}

/** Returns owners of the organization, whom the user can ask for actions that only owners may take. */
export async function readOwners(login: Caller): Promise<string[]> {
  const query = "{ users(filter: { owner: { eq: true }, active: { eq: true } }, first: 5) { nodes { name email } } }";
  const { users } = await graphql<{ users: { nodes: { name: string; email: string }[] } }>(login, query);
  return users.nodes.map(({ name, email }) => `${name} <${email}>`);
}
