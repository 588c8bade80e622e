import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
}

interface Answered {
  url: string;
  method: string;
  path: string;
  status: number;
  body: unknown;
}

let contract: Promise<(answered: Answered) => void> | undefined;

/** Checks a response of the control plane against the served OpenAPI document. @throws with the differences. */
export async function checkReply(answered: Answered): Promise<void> {
  contract ??= load(answered.url);
  (await contract)(answered);
}

const isFormless = (response: unknown): boolean =>
  !Object.hasOwn(response as object, "$ref") && !Object.hasOwn(response as object, "content");

async function load(url: string): Promise<(answered: Answered) => void> {
  const document = (await (await fetch(`${url}/api/openapi.json`)).json()) as OpenApi;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, "openapi");
  const paths = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
  }));
  return ({ method, path, status, body }) => {
    const found = paths.find(({ pattern }) => pattern.test(path.split("?", 1)[0] ?? ""))?.path;
    const verb = method.toLowerCase();
    const operation = found && document.paths[found]?.[verb];
    if (!found || !operation) return;
    const named = `${method} ${found} ${status}`;
    const response = operation.responses[status] ?? operation.responses[`${String(status)[0]}XX`];
    if (!response) throw new Error(`${named} is not in the document`);
    // A protocol of another party, such as OAuth, defines the format of the response. The document leaves the format
    // out.
    if (status === 204 || isFormless(response)) return;
    const at = ["paths", found, verb, "responses", String(status), "content", "application/json", "schema"];
    const ref = `openapi#/${at.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
    // A reference lets Ajv cache the compiled schema. A schema object would be compiled again each time.
    const validate = ajv.getSchema(ref) as ValidateFunction;
    if (!validate(body)) throw new Error(`${named} is not as documented: ${ajv.errorsText(validate.errors)}`);
  };
}
