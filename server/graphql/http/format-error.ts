import { GraphQLError, type GraphQLFormattedError } from "graphql";
import type { Logger } from "pino";
import { UnavailableError } from "../../../db/errors/unavailable.ts";
import { AppError, type ErrorKind } from "../../errors.ts";
import { splitTypeName } from "../type-words.ts";

interface ErrorCode {
  code: string;
  type: string;
  status: number;
}

/**
 * GraphQL error code and HTTP status of each kind of error. `type` is the phrase by which clients of Linear's API
 * choose their error class.
 */
const ERROR_CODES: Record<ErrorKind, ErrorCode> = {
  authentication: { code: "AUTHENTICATION_ERROR", type: "authentication error", status: 401 },
  forbidden: { code: "FORBIDDEN", type: "forbidden", status: 403 },
  not_found: { code: "NOT_FOUND", type: "invalid input", status: 404 },
  conflict: { code: "CONFLICT", type: "invalid input", status: 409 },
  gone: { code: "GONE", type: "invalid input", status: 410 },
  input: { code: "INPUT_ERROR", type: "invalid input", status: 400 },
  invalid: { code: "INVALID_INPUT", type: "invalid input", status: 400 },
  ratelimited: { code: "RATELIMITED", type: "ratelimited", status: 400 },
  too_large: { code: "PAYLOAD_TOO_LARGE", type: "invalid input", status: 413 },
  unsupported: { code: "UNSUPPORTED_MEDIA_TYPE", type: "invalid input", status: 415 },
  method: { code: "METHOD_NOT_ALLOWED", type: "invalid input", status: 405 },
  unavailable: { code: "UNAVAILABLE", type: "internal error", status: 503 },
  timeout: { code: "TIMEOUT", type: "internal error", status: 408 },
};

/** Formats an error for the `errors` array. Internal errors are logged and masked. */
export function formatError(
  thrown: unknown,
  log: Logger,
  requestId: string,
  path?: readonly (string | number)[],
): GraphQLFormattedError {
  if (thrown instanceof GraphQLError) return withCode(thrown);
  const error = thrown instanceof UnavailableError ? busy(thrown) : isLate(thrown) ? late() : thrown;
  const at = path && { path };
  if (error instanceof AppError) {
    const { code, type, status } = ERROR_CODES[error.kind];
    const { issues, field, extensions, retryAfter, entity } = error.details;
    return {
      message: entity ? notFoundPhrase(entity) : error.message,
      ...at,
      extensions: {
        ...errorExtensions({ code, type, status }, presentable(error), error.kind !== "unavailable"),
        ...(field && { field }),
        ...(issues && { validationErrors: issues }),
        ...(retryAfter && { retryAfter }),
        ...extensions,
      },
    };
  }
  log.error({ err: error, requestId }, "graphql request failed");
  const message = `Something went wrong here; it is logged as ${requestId}.`;
  const internal = { code: "INTERNAL_SERVER_ERROR", type: "internal error", status: 500 };
  return { message, ...at, extensions: { ...errorExtensions(internal, message, false), requestId } };
}

/**
 * Returns the error message by which clients of Linear's API recognize a missing entity. The message does not contain
 * the id.
 */
const notFoundPhrase = (entity: string): string => `Entity not found: ${entity} - Could not find referenced ${entity}.`;

/** Returns the message for users. If an entity is missing, the message names the entity and the next step. */
const presentable = ({ message, details: { entity } }: AppError): string =>
  entity ? `${message}. Check the id: this organization has no such ${splitTypeName(entity)}.` : message;

/** Formats a GraphQL error of parsing, validation or coercion. */
function withCode(error: GraphQLError): GraphQLFormattedError {
  const { message, locations, path } = error.toJSON();
  const invalid = { code: "GRAPHQL_VALIDATION_FAILED", type: "graphql error", status: 400 };
  return {
    message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: errorExtensions(invalid, message, true),
  };
}

const errorExtensions = ({ code, type, status }: ErrorCode, message: string, userError: boolean) => ({
  code,
  type,
  statusCode: status,
  userError,
  userPresentableMessage: message,
});

const busy = (error: UnavailableError) =>
  new AppError("unavailable", "The server is busy or restarting; try again shortly.", {
    retryAfter: error.retryAfter,
  });

const isLate = (thrown: unknown): boolean => thrown instanceof DOMException && thrown.name === "TimeoutError";

const late = () =>
  new AppError("timeout", "The server stopped the request after 15 s; request less data, or use fewer filters.");

/** Returns the HTTP status of an error that occurred before execution. */
export const readErrorStatus = (error: AppError): number => ERROR_CODES[error.kind].status;
