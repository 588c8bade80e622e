import type { Principal } from "../../auth/principal.ts";
import { requireScope } from "../../auth/scopes.ts";
import { forbidden } from "../../errors.ts";
import type { Selection } from "../../read/selection.ts";
import type { Ready } from "../request.ts";

/** Mutations that make, change or show a webhook, and with it the secret that signs its deliveries. */
const WEBHOOK = /^webhook/i;

/**
 * Holds a token of OAuth to what its person allowed the program: to change nothing with `read` alone, and never to come
 * near a secret. Other credentials have no scopes, and pass.
 * @throws forbidden (403)
 */
export function checkScopes(principal: Principal, { node, operation }: Ready): void {
  if (!principal.scopes) return;
  if (node.operation === "mutation") {
    requireScope(principal, "write");
    if (operation.roots.some(({ field }) => WEBHOOK.test(field))) throw keptFromPrograms("webhooks are managed");
  }
  if (operation.roots.some(selectsSecret)) throw keptFromPrograms("secrets are shown");
}

const selectsSecret = ({ field, children }: Selection): boolean =>
  /secret/i.test(field) || children.some(selectsSecret);

const keptFromPrograms = (what: string) =>
  forbidden(`With a token of OAuth no ${what}: use a personal key, or a login.`);
