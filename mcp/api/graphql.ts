import { randomUUID } from "node:crypto";
import type { ClientError, GraphQLClient } from "graphql-request";
import { retryAfterSeconds } from "../../formats/time.ts";
import { Conflict, KeyRefused, NotFound, ToolError, Unavailable } from "../errors.ts";
import { DeadlineError, keepAliveFetch, ResponseTooLarge } from "./fetch.ts";

/** Sends one document of `documents/`; rejects with a ToolError the model can act on. */
export type GraphqlClient = <Data>(document: string, variables?: Record<string, unknown>) => Promise<Data>;

interface GraphqlOptions {
  /** Trackway's address. */
  url: string;
  /** The caller's personal key, or a token that OAuth gave their program. */
  key: string;
  signal: AbortSignal;
  /** Is called for an answer that may lack what was recorded in the last moments. */
  onBehind?: () => void;
}

let library: Promise<typeof import("graphql-request")> | undefined;

/** Loads graphql-request, once. With graphql it takes long, so stdio loads it after its first answer. */
export function loadGraphqlClient(): Promise<typeof import("graphql-request")> {
  library ??= import("graphql-request");
  return library;
}

/** A client of POST /graphql in the name of one key. */
export function createGraphqlClient(options: GraphqlOptions): GraphqlClient {
  let client: Promise<GraphQLClient> | undefined;
  return async <Data>(document: string, variables: Record<string, unknown> = {}) => {
    client ??= connect(options);
    const to = await client;
    // The key lets a mutation be sent again after a broken connection without being done twice.
    const requestHeaders = document.startsWith("mutation") ? { "idempotency-key": randomUUID() } : {};
    const send = () => to.rawRequest<Data>({ query: document, variables, requestHeaders });
    try {
      const { data, extensions } = await send().catch((error: unknown) => {
        if (isBroken(error) && !options.signal.aborted) return send();
        throw error;
      });
      if ((extensions as { behind?: boolean } | undefined)?.behind) options.onBehind?.();
      return data;
    } catch (error) {
      throw toToolError(error, options.url);
    }
  };
}

async function connect({ url, key, signal }: GraphqlOptions): Promise<GraphQLClient> {
  const { GraphQLClient } = await loadGraphqlClient();
  return new GraphQLClient(`${url}/graphql`, {
    headers: { authorization: `Bearer ${key}` },
    // Without an operation name the client need not parse the document again for every call.
    excludeOperationName: true,
    fetch: keepAliveFetch as unknown as typeof fetch,
    signal,
  });
}

/** True if the connection broke under the request, as it does when the server closes one that was idle. */
function isBroken(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code;
  return code === "ECONNRESET" || code === "EPIPE";
}

const MAX_CHARACTERS = 400;

interface Extensions {
  code?: string;
  userPresentableMessage?: string;
}

/** The ToolError, cause and next step, for whatever a request to Trackway at `url` failed with. */
function toToolError(error: unknown, url: string): Error {
  if (error instanceof ToolError) return error;
  if (error instanceof ResponseTooLarge)
    return new ToolError("The answer is too long. Ask for less, with a smaller limit.");
  if (!hasResponse(error)) return new Unavailable(unreachable(error, url));
  const { status, errors, headers } = error.response;
  const first = errors?.[0] as { message?: string; extensions?: Extensions } | undefined;
  const code = first?.extensions?.code;
  const wait = waitText(headers as Pick<Headers, "get"> | undefined);
  if (status === 401 || code === "AUTHENTICATION_ERROR") return new KeyRefused(KEY_REFUSED);
  if (code === "RATELIMITED") return new Unavailable(`${sentence(messageOf(first))} ${wait}, then repeat the call.`);
  if (status === 503)
    return new Unavailable(`Trackway cannot reach its database right now. ${wait}, then repeat the call.`);
  if (!first)
    return new Unavailable(`${url} answered HTTP ${status} without GraphQL. Check that TRACKER_URL is Trackway.`);
  const text = `${sentence(messageOf(first))} ${nextStep(code, messageOf(first))}`.trim();
  if (code === "NOT_FOUND") return new NotFound(text);
  if (code === "INTERNAL_SERVER_ERROR") return new Unavailable(text);
  return code === "CONFLICT" ? new Conflict(text) : new ToolError(text);
}

/** True if Trackway answered at all; known by its shape, since the class is loaded only with the first request. */
const hasResponse = (error: unknown): error is ClientError =>
  error instanceof Error && typeof (error as Partial<ClientError>).response?.status === "number";

const KEY_REFUSED =
  "Trackway refused the API key: it is unknown, malformed or deleted. Create a key with POST /api/api-keys (or on /settings) and configure it as TRACKER_API_KEY, or as the Authorization header over HTTP.";

/** The message without what only a caller of the API can follow: callTool puts in the parameters' names. */
function messageOf(error: { message?: string; extensions?: Extensions } | undefined): string {
  const text = error?.extensions?.userPresentableMessage || error?.message;
  const message = text || "Trackway answered an error without a message";
  return (
    message
      .replace(/^Recorded(Session|Event)/, "$1")
      .replace(/^(the cursor [^;]+);.*$/s, "$1")
      .replace(CIRCLE, "$1")
      // A tool names its own next step.
      .replace(/ Check the id: this organization has no such [a-z ]+\.$/, "")
  );
}

const CIRCLE = /^(they would block each other in a circle: [^;]+);.*$/s;

function nextStep(code: string | undefined, message: string): string {
  if (code === "INPUT_ERROR" && /cursor/i.test(message)) return "Call again without cursor to start at the first page.";
  switch (code) {
    case "NOT_FOUND":
      return "Look it up with a list tool and call again.";
    case "INPUT_ERROR":
    case "INVALID_INPUT":
      return "Correct it and call again.";
    case "FORBIDDEN":
      return "Ask the owner of the organization, or use another key.";
    case "CONFLICT":
      if (CIRCLE.test(`${message};`)) return "Take one of these relations off with unlink_issues, or leave it out.";
      return "Read the current state, then decide again.";
    case "INTERNAL_SERVER_ERROR":
      return "Repeat the call once; if it fails again, report this message.";
    default:
      return "";
  }
}

function waitText(headers: Pick<Headers, "get"> | undefined): string {
  const seconds = retryAfterSeconds(headers?.get("retry-after"));
  return seconds !== undefined ? `Wait ${seconds} s` : "Wait a minute";
}

function unreachable(error: unknown, url: string): string {
  if (!(error instanceof Error)) return `The request to ${url} failed: ${String(error)}. Repeat the call.`;
  if (error instanceof DeadlineError) {
    return `Trackway at ${url} did not answer within 20 s. Ask for less (a smaller limit) or repeat the call later.`;
  }
  if (error.name === "AbortError") return "The call was cancelled. Repeat it if it is still wanted.";
  const reason = (error as { code?: string }).code ?? error.message;
  return `Trackway is not reachable at ${url} (${reason}). Start it with \`npm start\` or correct TRACKER_URL, then repeat the call.`;
}

function sentence(text: string): string {
  const cut = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
  return /[.!?…]$/.test(cut) ? cut : `${cut}.`;
}
