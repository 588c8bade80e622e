import type { IncomingMessage, ServerResponse } from "node:http";
import helmet from "helmet";
import type Koa from "koa";
import type { Runtime } from "../runtime.ts";

/**
 * helmet's headers, names and values in turn, for every response. They are the same each time, so they are worked out once.
 * Answers are data unless a page says otherwise: the policy forbids everything, and pages set their own.
 */
export const securityHeaders = ({ config }: Runtime): readonly string[] =>
  helmetHeaders(config.PUBLIC_URL?.startsWith("https:") ?? false);

/** Puts headers on every response. */
export function setHeaders(headers: readonly string[]): Koa.Middleware {
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""] as const] : []));
  return (ctx, next) => {
    for (const [name, value] of pairs) ctx.res.setHeader(name, value);
    return next();
  };
}

function helmetHeaders(secure: boolean): string[] {
  const collected: string[] = [];
  const response = {
    setHeader: (name: string, value: string) => collected.push(name, value),
    removeHeader: () => {},
  };
  const middleware = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    strictTransportSecurity: secure,
  });
  middleware({} as IncomingMessage, response as unknown as ServerResponse, () => {});
  return collected;
}
