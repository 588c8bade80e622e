import { accountRoutes } from "./account.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { healthRoutes } from "./health.ts";
import { ingestKeyRoutes } from "./ingest-keys.ts";
import { organizationRoutes } from "./organization.ts";
import type { Route } from "./route.ts";

/** Every endpoint of the control plane, in the order the document shows them. */
export const routes: readonly Route[] = [
  ...accountRoutes,
  ...organizationRoutes,
  ...apiKeyRoutes,
  ...ingestKeyRoutes,
  ...healthRoutes,
];
