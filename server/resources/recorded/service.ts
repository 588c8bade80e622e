import type { Resource } from "../resource.ts";

/** A service whose spans were not recognized. */
export const recordedServiceResource: Resource = {
  entity: {
    name: "RecordedService",
    table: "recorded_service",
    columns: { id: "text", example: "text", spans: "integer", firstSeenAt: "timestamp", lastSeenAt: "timestamp" },
    names: {
      organizationId: "organization_id",
      id: "service",
      firstSeenAt: "first_seen_at",
      lastSeenAt: "last_seen_at",
      createdAt: "first_seen_at",
    },
    tuning: { few: true },
  },
  many: { recordedServices: { entity: "RecordedService" } },
};
