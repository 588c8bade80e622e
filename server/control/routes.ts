import { accountRoutes } from "./endpoints/account.ts";
import { agentRoutes } from "./endpoints/agents.ts";
import { apiKeyRoutes } from "./endpoints/api-keys.ts";
import { auditRoutes } from "./endpoints/audit.ts";
import { connectionRoutes } from "./endpoints/connections.ts";
import { deliveryRoutes } from "./endpoints/deliveries.ts";
import { healthRoutes } from "./endpoints/health.ts";
import { ingestKeyRoutes } from "./endpoints/ingest-keys.ts";
import { invitationRoutes } from "./endpoints/invitations.ts";
import { memberRoutes } from "./endpoints/members.ts";
import { oidcRoutes } from "./endpoints/oidc.ts";
import { organizationRoutes } from "./endpoints/organization.ts";
import { sessionRoutes } from "./endpoints/session.ts";
import { webhookRoutes } from "./endpoints/webhooks.ts";
import type { Route } from "./route.ts";

/** Every endpoint of the control plane, in the order the document shows them. */
export const routes: readonly Route[] = [
  ...accountRoutes,
  ...sessionRoutes,
  ...oidcRoutes,
  ...organizationRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...apiKeyRoutes,
  ...agentRoutes,
  ...connectionRoutes,
  ...ingestKeyRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...auditRoutes,
  ...healthRoutes,
];
