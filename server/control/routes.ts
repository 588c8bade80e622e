import { accountRoutes } from "./account.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { healthRoutes } from "./health.ts";
import { ingestKeyRoutes } from "./ingest-keys.ts";
import { invitationRoutes } from "./invitations.ts";
import { memberRoutes } from "./members.ts";
import { organizationRoutes } from "./organization.ts";
import type { Route } from "./route.ts";
import { webhookRoutes } from "./webhooks.ts";

/** Every endpoint of the control plane, in the order the document shows them. */
export const routes: readonly Route[] = [
  ...accountRoutes,
  ...organizationRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...apiKeyRoutes,
  ...ingestKeyRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...healthRoutes,
];
