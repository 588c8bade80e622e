import type { IncomingMessage, ServerResponse } from "node:http";
import helmet from "helmet";
import type Koa from "koa";
import type { Runtime } from "../runtime.ts";

/**
 * Puts helmet's headers on every response. They are the same each time, so they are worked out once. Answers are data
 * unless a page says otherwise: the policy forbids everything, and pages set their own.
 */
export function securityHeaders({ config }: Runtime): Koa.Middleware {
  const headers = helmetHeaders(config.PUBLIC_URL?.startsWith("https:") ?? false);
  return (ctx, next) => {
    for (const [name, value] of headers) ctx.res.setHeader(name, value);
    return next();
  };
}

function helmetHeaders(secure: boolean): [string, string][] {
  const collected: [string, string][] = [];
  const response = {
    setHeader: (name: string, value: string) => collected.push([name, value]),
    removeHeader: () => {},
  };
  const middleware = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    strictTransportSecurity: secure,
  });
  middleware({} as IncomingMessage, response as unknown as ServerResponse, () => {});
  return collected;
}
