import { accountRoutes, loginRoutes } from "./endpoints/account.ts";
import { healthRoutes } from "./endpoints/health.ts";
import { agentRoutes, connectedAppRoutes, ingestKeyRoutes, personalKeyRoutes } from "./endpoints/keys.ts";
import { invitationRoutes, memberRoutes } from "./endpoints/members.ts";
import { oidcRoutes } from "./endpoints/oidc.ts";
import { auditRoutes, organizationRoutes, priceRoutes } from "./endpoints/organization.ts";
import { mailServerRoutes } from "./endpoints/outgoing/mail-server.ts";
import { deliveryRoutes, webhookRoutes } from "./endpoints/outgoing/webhooks.ts";
import type { Route } from "./route.ts";

/** Every endpoint of the control plane, in the order of the OpenAPI document. */
export const routes: readonly Route[] = [
  ...accountRoutes,
  ...loginRoutes,
  ...oidcRoutes,
  ...organizationRoutes,
  ...priceRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...personalKeyRoutes,
  ...agentRoutes,
  ...connectedAppRoutes,
  ...ingestKeyRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...mailServerRoutes,
  ...auditRoutes,
  ...healthRoutes,
];
