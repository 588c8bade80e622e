// Written by `npm run web:types` from the declared endpoints.

export interface Endpoints {
  "POST /api/auth/signup": {
    body: {
      email: string;
      password: string;
      name: string;
    };
    reply: {
      accessToken: string;
      refreshToken?: string;
      expiresIn: number;
      user: {
        id: string;
        email: string;
        name: string;
      };
    };
  };
  "POST /api/auth/login": {
    body: {
      email: string;
      password: string;
      organization?: string;
    };
    reply: {
      accessToken: string;
      refreshToken?: string;
      expiresIn: number;
      user: {
        id: string;
        email: string;
        name: string;
      };
    };
  };
  "POST /api/auth/welcome": {
    body: {
      code: string;
      password?: string;
    };
    reply: {
      accessToken: string;
      refreshToken?: string;
      expiresIn: number;
      user: {
        id: string;
        email: string;
        name: string;
      };
    };
  };
  "POST /api/auth/logout": {
    body: {};
    reply: {
      success: true;
    };
  };
  "POST /api/auth/password-reset": {
    body: {
      email: string;
    };
    reply: {
      success: true;
    };
  };
  "POST /api/auth/password-reset/confirm": {
    body: {
      token: string;
      password: string;
      keepAccess?: boolean;
    };
    reply: {
      accessToken: string;
      refreshToken?: string;
      expiresIn: number;
      user: {
        id: string;
        email: string;
        name: string;
      };
    };
  };
  "POST /api/auth/refresh": {
    body: {
      organization?: string;
    };
    reply: {
      accessToken: string;
      refreshToken?: string;
      expiresIn: number;
    };
  };
  "POST /api/auth/session": {
    body: {};
    reply: {
      accessToken?: string;
      refreshToken?: string;
      expiresIn?: number;
      signedIn: boolean;
      user?: {
        id: string;
        email: string;
        name: string;
      };
      organization?: {
        id: string;
        name: string;
        urlKey: string;
        role: "owner" | "member";
      } | null;
      signUp: "open" | "invite" | "off";
      mails: boolean;
    };
  };
  "POST /api/auth/switch": {
    body: {
      organization: string;
    };
    reply: {
      accessToken: string;
      refreshToken?: string;
      expiresIn: number;
    };
  };
  "POST /api/auth/oidc/start": {
    body: {
      organization?: string;
      email?: string;
      returnTo?: string;
    };
    reply: {
      redirect: string;
      organization: string;
      host: string;
      browser?: string;
    };
  };
  "POST /api/auth/oidc/confirm": {
    body: {
      code: string;
      password: string;
    };
    reply: {
      accessToken: string;
      refreshToken?: string;
      expiresIn: number;
      user: {
        id: string;
        email: string;
        name: string;
      };
      returnTo: string;
    };
  };
  "GET /api/oidc": {
    reply: {
      provider: {
        issuer: string;
        clientId: string;
        domains: string[];
        groupsClaim: string;
        groupRoles: {
          group: string;
          role: "owner" | "member";
        }[];
        required: boolean;
      } | null;
      callbackUrl: string;
      logoutUrl: string;
    };
  };
  "PATCH /api/oidc": {
    body: {
      issuer: string;
      clientId: string;
      domains: string[];
      groupsClaim?: string;
      groupRoles?: {
        group: string;
        role: "owner" | "member";
      }[];
      required?: boolean;
      clientSecret?: string;
    };
    reply: {
      provider: {
        issuer: string;
        clientId: string;
        domains: string[];
        groupsClaim: string;
        groupRoles: {
          group: string;
          role: "owner" | "member";
        }[];
        required: boolean;
      } | null;
      callbackUrl: string;
      logoutUrl: string;
    };
  };
  "DELETE /api/oidc": {
    reply: {
      success: true;
    };
  };
  "POST /api/organization": {
    body: {
      name: string;
      urlKey: string;
    };
    reply: {
      accessToken: string;
      refreshToken?: string;
      expiresIn: number;
      organization: {
        id: string;
        name: string;
        urlKey: string;
      };
    };
  };
  "GET /api/prices": {
    query: {
      search?: string;
    };
    reply: {
      prices: {
        model: string;
        input: number;
        output: number | null;
        cacheRead: number | null;
        cacheWrite: number | null;
        tiered: boolean;
      }[];
      total: number;
    };
  };
  "GET /api/members": {
    query: {
      cursor?: string;
    };
    reply: {
      members: {
        id: string;
        email: string;
        name: string;
        role: "owner" | "member";
        createdAt: string;
      }[];
      next_cursor?: string;
    };
  };
  "PATCH /api/members/:id": {
    path: {
      id: string;
    };
    body: {
      role: "owner" | "member";
    };
    reply: {
      id: string;
      email: string;
      name: string;
      role: "owner" | "member";
      createdAt: string;
    };
  };
  "DELETE /api/members/:id": {
    path: {
      id: string;
    };
    reply: {
      success: true;
    };
  };
  "POST /api/invitations": {
    body: {
      email: string;
    };
    reply: {
      id: string;
      email: string;
      createdAt: string;
      expiresAt: string;
      token: string;
      mailed: boolean;
    };
  };
  "GET /api/invitations": {
    reply: {
      invitations: {
        id: string;
        email: string;
        createdAt: string;
        expiresAt: string;
      }[];
    };
  };
  "DELETE /api/invitations/:id": {
    path: {
      id: string;
    };
    reply: {
      success: true;
    };
  };
  "POST /api/invitations/accept": {
    body: {
      token: string;
      email?: string;
      password?: string;
      name?: string;
    };
    reply: {
      accessToken: string;
      refreshToken?: string;
      expiresIn: number;
      user: {
        id: string;
        email: string;
        name: string;
      };
    };
  };
  "POST /api/api-keys": {
    body: {
      label: string;
      expiresAt?: string;
    };
    reply: {
      id: string;
      label: string;
      token: string;
      createdAt: string;
      expiresAt: string | null;
    };
  };
  "GET /api/api-keys": {
    reply: {
      apiKeys: {
        id: string;
        label: string;
        last4: string;
        createdAt: string;
        lastUsedAt: string | null;
        expiresAt: string | null;
      }[];
    };
  };
  "DELETE /api/api-keys/:id": {
    path: {
      id: string;
    };
    reply: {
      success: true;
    };
  };
  "POST /api/agents": {
    body: {
      name: string;
    };
    reply: {
      id: string;
      name: string;
      token: string;
    };
  };
  "GET /api/agents": {
    reply: {
      agents: {
        id: string;
        name: string;
        last4: string | null;
        createdAt: string;
        lastUsedAt: string | null;
      }[];
    };
  };
  "DELETE /api/agents/:id": {
    path: {
      id: string;
    };
    reply: {
      success: true;
    };
  };
  "GET /api/connections": {
    reply: {
      connections: {
        id: string;
        clientName: string;
        clientId: string;
        redirectHost: string;
        scopes: ("read" | "write" | "record")[];
        createdAt: string;
        lastUsedAt: string;
      }[];
    };
  };
  "DELETE /api/connections/:id": {
    path: {
      id: string;
    };
    reply: {
      success: true;
    };
  };
  "POST /api/ingest-keys": {
    body: {
      name: string;
      omitPrompts?: boolean;
      omitToolContents?: boolean;
      keepUnknownSpans?: boolean;
    };
    reply: {
      id: string;
      name: string;
      createdAt: string;
      omitPrompts: boolean;
      omitToolContents: boolean;
      keepUnknownSpans: boolean;
      key: string;
    };
  };
  "GET /api/ingest-keys": {
    reply: {
      ingestKeys: {
        id: string;
        name: string;
        createdAt: string;
        omitPrompts: boolean;
        omitToolContents: boolean;
        keepUnknownSpans: boolean;
        prefix: string;
        last4: string;
        lastUsedAt: string | null;
      }[];
    };
  };
  "PATCH /api/ingest-keys/:id": {
    path: {
      id: string;
    };
    body: {
      name?: string;
      omitPrompts?: boolean;
      omitToolContents?: boolean;
      keepUnknownSpans?: boolean;
    };
    reply: {
      id: string;
      name: string;
      createdAt: string;
      omitPrompts: boolean;
      omitToolContents: boolean;
      keepUnknownSpans: boolean;
      prefix: string;
      last4: string;
      lastUsedAt: string | null;
    };
  };
  "DELETE /api/ingest-keys/:id": {
    path: {
      id: string;
    };
    reply: {
      success: true;
    };
  };
  "POST /api/webhooks": {
    body: {
      target: string;
      teamId?: string | null;
      resourceTypes?:
        | (
            | "User"
            | "Team"
            | "WorkflowState"
            | "Issue"
            | "IssueRelation"
            | "IssueProof"
            | "IssueLabel"
            | "Comment"
            | "Project"
            | "ProjectMilestone"
            | "Cycle"
            | "CustomView"
            | "Template"
            | "ExternalUser"
            | "RecordedSession"
            | "RecordedUser"
            | "AuditEntry"
          )[]
        | null;
      label?: string | null;
      secret?: string | null;
    };
    reply: {
      id: string;
      target: string;
      label: string | null;
      teamId: string | null;
      resourceTypes: string[];
      enabled: boolean;
      error: string | null;
      createdAt: string;
      secret: string;
    };
  };
  "GET /api/webhooks": {
    reply: {
      webhooks: {
        id: string;
        target: string;
        label: string | null;
        teamId: string | null;
        resourceTypes: string[];
        enabled: boolean;
        error: string | null;
        createdAt: string;
      }[];
    };
  };
  "PATCH /api/webhooks/:id": {
    path: {
      id: string;
    };
    body: {
      target?: string | null;
      teamId?: string | null;
      resourceTypes?:
        | (
            | "User"
            | "Team"
            | "WorkflowState"
            | "Issue"
            | "IssueRelation"
            | "IssueProof"
            | "IssueLabel"
            | "Comment"
            | "Project"
            | "ProjectMilestone"
            | "Cycle"
            | "CustomView"
            | "Template"
            | "ExternalUser"
            | "RecordedSession"
            | "RecordedUser"
            | "AuditEntry"
          )[]
        | null;
      label?: string | null;
      enabled?: boolean | null;
      secret?: string | null;
    };
    reply: {
      id: string;
      target: string;
      label: string | null;
      teamId: string | null;
      resourceTypes: string[];
      enabled: boolean;
      error: string | null;
      createdAt: string;
    };
  };
  "DELETE /api/webhooks/:id": {
    path: {
      id: string;
    };
    reply: {
      success: true;
    };
  };
  "POST /api/webhooks/:id/rotate-secret": {
    path: {
      id: string;
    };
    reply: {
      secret: string;
      previousSecretUntil: string;
    };
  };
  "GET /api/webhooks/:id/deliveries": {
    path: {
      id: string;
    };
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: {
      deliveries: {
        id: string;
        type: string;
        action: string;
        status: string;
        attempts: {
          at: string;
          status: number | null;
          error: string | null;
        }[];
        createdAt: string;
      }[];
      next_cursor?: string;
    };
  };
  "GET /api/webhooks/:id/deliveries/:deliveryId": {
    path: {
      id: string;
      deliveryId: string;
    };
    reply: {
      id: string;
      type: string;
      action: string;
      status: string;
      attempts: {
        at: string;
        status: number | null;
        error: string | null;
      }[];
      createdAt: string;
      payload: {
        [k: string]: unknown;
      } | null;
    };
  };
  "POST /api/webhooks/:id/deliveries/:deliveryId/redeliver": {
    path: {
      id: string;
      deliveryId: string;
    };
    reply: {
      count: number;
    };
  };
  "POST /api/webhooks/:id/redeliver": {
    path: {
      id: string;
    };
    body: {
      from: string;
      to: string;
    };
    reply: {
      count: number;
    };
  };
  "GET /api/notice-rules/:id/deliveries": {
    path: {
      id: string;
    };
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: {
      deliveries: {
        id: string;
        type: string;
        action: string;
        status: string;
        attempts: {
          at: string;
          status: number | null;
          error: string | null;
        }[];
        createdAt: string;
      }[];
      next_cursor?: string;
    };
  };
  "GET /api/notice-rules/:id/deliveries/:deliveryId": {
    path: {
      id: string;
      deliveryId: string;
    };
    reply: {
      id: string;
      type: string;
      action: string;
      status: string;
      attempts: {
        at: string;
        status: number | null;
        error: string | null;
      }[];
      createdAt: string;
      payload: {
        [k: string]: unknown;
      } | null;
    };
  };
  "POST /api/notice-rules/:id/deliveries/:deliveryId/redeliver": {
    path: {
      id: string;
      deliveryId: string;
    };
    reply: {
      count: number;
    };
  };
  "POST /api/notice-rules/:id/redeliver": {
    path: {
      id: string;
    };
    body: {
      from: string;
      to: string;
    };
    reply: {
      count: number;
    };
  };
  "GET /api/mail-server": {
    reply: {
      mailServer: {
        host: string;
        port: number;
        security: "tls" | "starttls" | "none";
        username: string | null;
        from: string;
      } | null;
    };
  };
  "PATCH /api/mail-server": {
    body: {
      host: string;
      port: number;
      security: "tls" | "starttls" | "none";
      username?: string | null;
      from: string;
      password?: string;
    };
    reply: {
      mailServer: {
        host: string;
        port: number;
        security: "tls" | "starttls" | "none";
        username: string | null;
        from: string;
      } | null;
    };
  };
  "DELETE /api/mail-server": {
    reply: {
      success: true;
    };
  };
  "GET /api/audit": {
    query: {
      limit?: number;
      cursor?: string;
      event?: string;
      userId?: string;
      from?: string;
      to?: string;
    };
    reply: {
      entries: {
        id: string;
        event: string;
        userId: string | null;
        name: string | null;
        email: string | null;
        detail: {
          [k: string]: unknown;
        };
        createdAt: string;
      }[];
      next_cursor?: string;
    };
  };
  "GET /api/health": {
    reply:
      | {
          status: "ok";
          version: string;
          database: "ok" | "degraded";
          uptimeSeconds: number;
          nodes?: {
            all: number;
            unavailable: number[];
          };
          failingJobs: string[];
        }
      | {
          status: "unavailable";
          version: string;
          database: "ok" | "unavailable";
          uptimeSeconds: number;
        };
  };
  "GET /api/health/live": {
    reply: {
      status: "ok";
    };
  };
  "POST /oauth/consent/request": {
    body: {
      query: string;
    };
    reply: {
      client: {
        name: string;
        host: string | null;
      };
      redirectHost: string;
      scopes: ("read" | "write" | "record")[];
      resource: string;
      account: {
        email: string;
        name: string;
      };
      organizations: {
        id: string;
        name: string;
        urlKey: string;
      }[];
    };
  };
  "POST /oauth/consent": {
    body:
      | {
          query: string;
          decision: "deny";
        }
      | {
          query: string;
          decision: "allow";
          organizationId: string;
          scopes: ("read" | "write" | "record")[];
        };
    reply: {
      redirect: string;
    };
  };
}
