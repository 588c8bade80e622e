export type JsonObject = Record<string, unknown>;

/** Schema of any JSON object. */
export const anyObjectSchema = { type: "object", additionalProperties: true };
/** JSON body with a schema. */
export const jsonContent = (schema: JsonObject) => ({ "application/json": { schema } });
/** Reference to a schema of the document. */
export const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });
/** Schema of an object with exactly these members, all required. */
export const closedObjectSchema = (properties: JsonObject) => ({
  ...{ type: "object", required: Object.keys(properties), properties },
  additionalProperties: false,
});

export interface OpenApiOperation extends OperationParts {
  summary: string;
  description: string;
}

/** Creates a POST operation for each path. */
export function buildPostOperations(
  paths: readonly string[],
  tag: string,
  describe: (path: string) => OpenApiOperation,
): JsonObject {
  return Object.assign(
    {},
    ...paths.map((path) => {
      const { summary, description, ...rest } = describe(path);
      return buildPostOperation(path, tag, summary, description, rest);
    }),
  );
}

const ERRORS: Record<number, string> = {
  400: "The body is malformed, or a field is invalid.",
  401: "The ingest key is missing or does not exist.",
  408: "The body did not arrive in time.",
  409: "The id was already used with different content.",
  410: "The session or user was deleted.",
  413: "The body is too large.",
  415: "The body has an unsupported content type or encoding.",
  429: "The key exceeded its rate limit; retry after the seconds in `Retry-After`.",
  500: "Internal server error.",
  503: "The server is busy or restarting; retry after the seconds in `Retry-After`.",
};
const COMMON = [400, 401, 408, 413, 415, 429, 500, 503];

/** Describes a response header that is always present. */
export const requiredHeader = (description: string, schema: JsonObject) => ({ description, required: true, schema });
const wait = { "Retry-After": requiredHeader("Seconds to wait.", { type: "integer", minimum: 1 }) };
const HEADERS: Record<number, JsonObject> = {
  401: { "WWW-Authenticate": requiredHeader("How to send a key.", { type: "string" }) },
  429: wait,
  503: wait,
};

/**
 * Request and response bodies of an operation. `errors` lists failure statuses in addition to the statuses that all
 * operations share.
 */
export interface OperationParts {
  body: JsonObject | undefined;
  replies: JsonObject;
  errors?: number[];
  /** Bodies of failure responses. */
  failure?: JsonObject;
}

export const buildPostOperation = (
  path: string,
  tag: string,
  summary: string,
  description: string,
  parts: OperationParts,
): JsonObject => buildOperation("POST", path, tag, summary, description, parts);

/** Creates an operation for holders of an ingest key. */
export function buildOperation(
  method: string,
  path: string,
  tag: string,
  summary: string,
  description: string,
  { body, replies, errors = [], failure = jsonContent(schemaRef("Failure")) }: OperationParts,
): JsonObject {
  const verb = method.toLowerCase();
  const failures = [...COMMON, ...errors].map((status) => [
    status,
    { description: ERRORS[status], ...(HEADERS[status] && { headers: HEADERS[status] }), content: failure },
  ]);
  const operationId = `${verb}${path.replace(/[/:.-]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const declared = {
    ...{ operationId, tags: [tag], summary, description, security: [{ ingestKey: [] }] },
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: body } }),
    responses: { ...Object.fromEntries(failures), ...replies },
  };
  return { [path.replace(/:(\w+)/g, "{$1}")]: { [verb]: declared } };
}
