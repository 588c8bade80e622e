import { randomUUID } from "node:crypto";
import { API_TYPES } from "../../formats/api-types.ts";
import { isObject } from "../../formats/json.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { findSchemaMismatch } from "../../formats/response-shape.ts";
import { recordSentChange } from "../effect.ts";
import { CommandFailure, EXIT_CODES, type ExitCode } from "../failure.ts";
import { printToStderr } from "../output/print.ts";
import { createNonTrackwayResponseFailure, type GraphqlError, readGraphqlErrors } from "./answer.ts";
import { sendRequest, toCommandLineErrorMessage } from "./request.ts";

/** The server's address and the key with which a command sends requests. */
export interface ApiCredentials {
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
export async function sendGraphqlRequest<T>(
  { url, apiKey }: ApiCredentials,
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
  if (!refusals) throw createNonTrackwayResponseFailure(`${url}/graphql`, 200, "errors");
  const [first] = refusals;
  if (first) throw refusal(first);
  const misfit = findSchemaMismatch(query, data, API_TYPES);
  if (misfit) throw createNonTrackwayResponseFailure(`${url}/graphql`, 200, misfit);
  if (isObject(extensions) && extensions["behind"] === true)
    printToStderr("The newest events may be missing. Run the command again to include them.");
  return data as T;
}

/**
 * Converts a GraphQL error to a failure. The error message is written for API clients, so its terms are replaced with
 * the terms of the command line.
 */
function refusal(first: GraphqlError): CommandFailure {
  const exit = getExitCode(first);
  if (!first.extensions.path) return new CommandFailure(toCommandLineErrorMessage(first.message), { exit });
  const [circle = ""] = first.message.split("; ");
  return new CommandFailure(toCommandLineErrorMessage(circle), {
    exit,
    cure: "trackway unlink ISSUE OTHER, for two of these issues",
  });
}

const EXITS: Record<string, ExitCode> = {
  AUTHENTICATION_ERROR: EXIT_CODES.noAccess,
  FORBIDDEN: EXIT_CODES.noAccess,
  NOT_FOUND: EXIT_CODES.notFound,
  CONFLICT: EXIT_CODES.conflict,
  INPUT_ERROR: EXIT_CODES.usage,
  INVALID_INPUT: EXIT_CODES.usage,
  PAYLOAD_TOO_LARGE: EXIT_CODES.usage,
};

/**
 * Returns the exit code for a GraphQL error. If the input refers to a missing row, the API reports an invalid input,
 * but for the user of a command the exit code is "not found".
 */
const getExitCode = ({ extensions: { missing, code = "" } }: GraphqlError): ExitCode =>
  missing ? EXIT_CODES.notFound : (getOwnProperty(EXITS, code) ?? EXIT_CODES.failed);

/** User and organization of a personal key. */
export interface ViewerResponse {
  viewer: { name: string; email: string; owner: boolean };
  organization: { name: string; urlKey: string };
}

/** Reads the user and the organization of the key. */
export const readViewer = (login: ApiCredentials): Promise<ViewerResponse> =>
  sendGraphqlRequest<ViewerResponse>(login, "{ viewer { name email owner } organization { name urlKey } }");

/** Returns a sentence for each service whose spans Trackway does not recognize. */
export async function describeUnrecognizedServices(login: ApiCredentials): Promise<string[]> {
  const query = "{ recordedServices(first: 20) { nodes { id spans } } }";
  const { recordedServices } = await sendGraphqlRequest<{
    recordedServices: { nodes: { id: string; spans: number }[] };
  }>(login, query);
  return recordedServices.nodes.map(({ id, spans }) => `${spans} spans of service ${id} told nothing but their names`);
}

/**
 * Returns the names and email addresses of up to five owners of the organization. The user can ask these owners for
 * actions that only owners may take.
 */
export async function fetchOwnerContacts(login: ApiCredentials): Promise<string[]> {
  const query = "{ users(filter: { owner: { eq: true }, active: { eq: true } }, first: 5) { nodes { name email } } }";
  const { users } = await sendGraphqlRequest<{ users: { nodes: { name: string; email: string }[] } }>(login, query);
  return users.nodes.map(({ name, email }) => `${name} <${email}>`);
}
