import { accountRoutes } from "./endpoints/account.ts";
import { agentRoutes } from "./endpoints/agents.ts";
import { apiKeyRoutes } from "./endpoints/api-keys.ts";
import { auditRoutes } from "./endpoints/audit.ts";
import { connectionRoutes } from "./endpoints/connections.ts";
import { healthRoutes } from "./endpoints/health.ts";
import { ingestKeyRoutes } from "./endpoints/ingest-keys.ts";
import { invitationRoutes } from "./endpoints/invitations.ts";
import { memberRoutes } from "./endpoints/members.ts";
import { oidcRoutes } from "./endpoints/oidc.ts";
import { organizationRoutes } from "./endpoints/organization.ts";
import { deliveryRoutes } from "./endpoints/outgoing/deliveries.ts";
import { mailServerRoutes } from "./endpoints/outgoing/mail-server.ts";
import { webhookRoutes } from "./endpoints/outgoing/webhooks.ts";
import { priceRoutes } from "./endpoints/prices.ts";
import { sessionRoutes } from "./endpoints/session.ts";
import type { Route } from "./route.ts";

/** Every endpoint of the control plane, in the order the document shows them. */
export const routes: readonly Route[] = [
  ...accountRoutes,
  ...sessionRoutes,
  ...oidcRoutes,
  ...organizationRoutes,
  ...priceRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...apiKeyRoutes,
  ...agentRoutes,
  ...connectionRoutes,
  ...ingestKeyRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...mailServerRoutes,
  ...auditRoutes,
  ...healthRoutes,
];
