import { randomUUID } from "node:crypto";
import type { ClientError, GraphQLClient } from "graphql-request";
import { API_TYPES } from "../../formats/api-types.ts";
import { readErrorCode } from "../../formats/causes.ts";
import { isObject } from "../../formats/json.ts";
import { findSchemaMismatch } from "../../formats/response-shape.ts";
import { parseRetryAfterSeconds } from "../../formats/time.ts";
import { ConflictError, KeyRefusedError, NotFoundError, ServerUnavailableError, ToolError } from "../errors.ts";
import { explainNonTrackwayResponse, explainUnreachable, toStringOrUndefined } from "./answer.ts";
import { DeadlineError, fetchKeepAlive, ResponseTooLarge } from "./fetch.ts";

/** Sends one document of `documents/`. @throws ToolError with a cause and a next step for the model */
export type GraphqlClient = <Data>(document: string, variables?: Record<string, unknown>) => Promise<Data>;

interface GraphqlOptions {
  /** Base URL of the Trackway server. */
  url: string;
  /** The caller's personal key, or the OAuth token of the caller's app. */
  key: string;
  signal: AbortSignal;
  /** Called when a response may lack events that were recorded a moment ago. */
  onBehind?: () => void;
}

let library: Promise<typeof import("graphql-request")> | undefined;

/** Loads graphql-request once. Loading takes long, so the stdio server loads the library after its first response. */
export function loadGraphqlLibrary(): Promise<typeof import("graphql-request")> {
  library ??= import("graphql-request");
  return library;
}

/** Creates a client of POST /graphql with one key. */
export function createGraphqlClient(options: GraphqlOptions): GraphqlClient {
  let client: Promise<GraphQLClient> | undefined;
  return async <Data>(document: string, variables: Record<string, unknown> = {}) => {
    client ??= connect(options);
    const to = await client;
    // The idempotency key makes a mutation run only once, even if the request is repeated after a broken connection.
    const requestHeaders = document.startsWith("mutation") ? { "idempotency-key": randomUUID() } : {};
    const send = () => to.rawRequest<Data>({ query: document, variables, requestHeaders });
    try {
      const { data, extensions, status } = await send().catch((error: unknown) => {
        if (isBroken(error) && !options.signal.aborted) return send();
        throw error;
      });
      const misfit = findSchemaMismatch(document, data, API_TYPES);
      if (misfit)
        throw new ServerUnavailableError(explainNonTrackwayResponse(`${options.url}/graphql`, status, { misfit }));
      if (isObject(extensions) && extensions["behind"] === true) options.onBehind?.();
      return data;
    } catch (error) {
      throw toToolError(error, options.url);
    }
  };
}

async function connect({ url, key, signal }: GraphqlOptions): Promise<GraphQLClient> {
  const { GraphQLClient } = await loadGraphqlLibrary();
  return new GraphQLClient(`${url}/graphql`, {
    headers: { authorization: `Bearer ${key}` },
    // If the operation name is left out, the library does not parse the document for every call.
    excludeOperationName: true,
    fetch: fetchKeepAlive as unknown as typeof fetch,
    signal,
  });
}

/** Tells whether the connection broke during the request, for example because the server closed an idle connection. */
function isBroken(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code;
  return code === "ECONNRESET" || code === "EPIPE";
}

const MAX_CHARACTERS = 400;

interface Extensions {
  code?: string;
  userPresentableMessage?: string;
}

/** Converts the error of a request into a ToolError with a cause and a next step. */
function toToolError(error: unknown, url: string): Error {
  if (error instanceof ToolError) return error;
  if (error instanceof ResponseTooLarge)
    return new ToolError("The response is too long. Call again with a smaller limit.");
  // An error without a code means that the response is not GraphQL, because every connection error has a code.
  if (isUnreadable(error)) return new ServerUnavailableError(explainNonTrackwayResponse(`${url}/graphql`, 200));
  if (!hasResponse(error)) return new ServerUnavailableError(unreachable(error, url));
  const { status, errors, headers } = error.response;
  const first = firstError(errors);
  const code = first?.extensions?.code;
  const wait = waitText(headers as Pick<Headers, "get"> | undefined);
  if (status === 401 || code === "AUTHENTICATION_ERROR") return new KeyRefusedError(KEY_REFUSED);
  if (code === "RATELIMITED")
    return new ServerUnavailableError(`${sentence(readMessage(first))} ${wait}, then repeat the call.`);
  if (status === 503)
    return new ServerUnavailableError(`Trackway cannot reach its database right now. ${wait}, then repeat the call.`);
  if (!first) {
    const location = (headers as Pick<Headers, "get"> | undefined)?.get("location");
    return new ServerUnavailableError(explainNonTrackwayResponse(`${url}/graphql`, status, { location }));
  }
  const text = `${sentence(readMessage(first))} ${nextStep(code, readMessage(first))}`.trim();
  if (code === "NOT_FOUND") return new NotFoundError(text);
  if (code === "INTERNAL_SERVER_ERROR") return new ServerUnavailableError(text);
  return code === "CONFLICT" ? new ConflictError(text) : new ToolError(text);
}

/** Returns the first GraphQL error of a response; undefined if the response contains no valid list of errors. */
function firstError(errors: unknown): { message: string; extensions: Extensions } | undefined {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  if (!isObject(first) || typeof first["message"] !== "string") return undefined;
  const extensions = isObject(first["extensions"]) ? first["extensions"] : {};
  const [code, text] = [
    toStringOrUndefined(extensions["code"]),
    toStringOrUndefined(extensions["userPresentableMessage"]),
  ];
  return {
    message: first["message"],
    extensions: { ...(code !== undefined && { code }), ...(text !== undefined && { userPresentableMessage: text }) },
  };
}

const isUnreadable = (error: unknown): boolean =>
  error instanceof Error &&
  !hasResponse(error) &&
  !(error instanceof DeadlineError) &&
  error.name !== "AbortError" &&
  readErrorCode(error) === "";

/**
 * Tells whether the server responded. Checks the shape of the error instead of its class, because the class is loaded
 * only with the first request.
 */
const hasResponse = (error: unknown): error is ClientError =>
  error instanceof Error && typeof (error as Partial<ClientError>).response?.status === "number";

const KEY_REFUSED =
  "Trackway refused the API key: it is unknown, malformed or deleted. Create a key with POST /api/api-keys (or on /settings) and configure it as TRACKER_API_KEY, or as the Authorization header over HTTP.";

/**
 * Returns the message without hints that only callers of the API can follow. Later, `callTool` replaces the API's names
 * in the message with the names of the tool's parameters.
 */
function readMessage(error: { message?: string; extensions?: Extensions } | undefined): string {
  const text = error?.extensions?.userPresentableMessage || error?.message;
  const message = text || "Trackway returned an error without a message";
  return (
    message
      .replace(/^Recorded(Session|Event)/, "$1")
      .replace(/^(the cursor [^;]+);.*$/s, "$1")
      .replace(CIRCLE, "$1")
      // Removes the hint to check the id, because each tool names its own next step.
      .replace(/ Check the id: this organization has no such [a-z ]+\.$/, "")
  );
}

const CIRCLE = /^(they would block each other in a circle: [^;]+);.*$/s;

function nextStep(code: string | undefined, message: string): string {
  if (code === "INPUT_ERROR" && /cursor/i.test(message)) return "Call again without cursor to start at the first page.";
  switch (code) {
    case "NOT_FOUND":
      return "Find the id with a list tool and call again.";
    case "INPUT_ERROR":
    case "INVALID_INPUT":
      return "Correct the input and call again.";
    case "FORBIDDEN":
      return "Ask an owner of the organization for permission, or use another key.";
    case "CONFLICT":
      if (CIRCLE.test(`${message};`))
        return "Remove one of these relations with unlink_issues, or omit it from this call.";
      return "Read the current data, then decide whether to call again.";
    case "INTERNAL_SERVER_ERROR":
      return "Repeat the call once; if it fails again, report this message.";
    default:
      return "";
  }
}

function waitText(headers: Pick<Headers, "get"> | undefined): string {
  const seconds = parseRetryAfterSeconds(headers?.get("retry-after"));
  return seconds !== undefined ? `Wait ${seconds} s` : "Wait a minute";
}

function unreachable(error: unknown, url: string): string {
  if (!(error instanceof Error)) return `The request to ${url} failed: ${String(error)}. Repeat the call.`;
  if (error instanceof DeadlineError) {
    return `Trackway at ${url} did not answer within 20 s. Ask for less (a smaller limit) or repeat the call later.`;
  }
  if (error.name === "AbortError") return "The call was cancelled. Repeat the call if you still need the result.";
  return explainUnreachable(error, url);
}

function sentence(text: string): string {
  const cut = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
  return /[.!?…]$/.test(cut) ? cut : `${cut}.`;
}
