import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { currentLogin } from "../../data/session.ts";
import { Page } from "../../shell/page.tsx";
import { NotFoundPage } from "../plain.tsx";
import { AuditLogSettings } from "./audit/audit.tsx";
import { ConnectedAppsSettings } from "./connections.tsx";
import { IngestKeys, PersonalKeys } from "./keys.tsx";
import { RequestLimitsSettings } from "./limits.tsx";
import { MembersSettings } from "./members.tsx";
import { NoticeRulesSettings } from "./notices/notices.tsx";
import { OrganizationSettings } from "./organization.tsx";
import { PricesSettings } from "./prices.tsx";
import { ProfileSettings } from "./profile.tsx";
import { ProofSettings } from "./proof/proof.tsx";
import { RedactionSettings } from "./redaction.tsx";
import { RetentionSettings } from "./retention/retention.tsx";
import { SignInSettings } from "./sign-in.tsx";
import { WebhooksSettings } from "./webhooks/webhooks.tsx";

type Part = [path: string, name: string, part: ComponentType];

const YOURS: Part[] = [
  ["profile", "Profile", ProfileSettings],
  ["keys", "Personal keys", PersonalKeys],
  ["connections", "Connected apps", ConnectedAppsSettings],
];
const EVERYBODYS: Part[] = [
  ["organization", "Organization", OrganizationSettings],
  ["members", "Members", MembersSettings],
  ["sign-in", "Company sign-in", SignInSettings],
  ["ingest-keys", "Ingest keys", IngestKeys],
  ["redaction", "Redaction", RedactionSettings],
  ["retention", "Retention", RetentionSettings],
  ["notices", "Notices", NoticeRulesSettings],
  ["prices", "Prices", PricesSettings],
  ["proof", "Proof", ProofSettings],
  ["webhooks", "Webhooks", WebhooksSettings],
  ["limits", "Limits", RequestLimitsSettings],
  ["audit", "Audit log", AuditLogSettings],
];

/** Settings of the user and of the organization. */
export default function SettingsPage({ params: { part: name = "profile" } }: { params: Record<string, string> }) {
  const found = [...YOURS, ...EVERYBODYS].find(([path]) => path === name);
  if (!found) return <NotFoundPage />;
  const [, title, Shown] = found;
  return <Frame name={name} title={title} Shown={Shown} />;
}

function Frame({ name, title, Shown }: { name: string; title: string; Shown: ComponentType }) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // Scrolls to the current page's link. On a phone the links form one line that scrolls sideways.
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [name]);
  return (
    <Page title={`${title} · Settings`} fixed>
      <header class="head">
        <h1>Settings</h1>
      </header>
      <div class="set">
        <nav aria-label="Settings" ref={nav}>
          <h2>You</h2>
          <Links parts={YOURS} here={name} />
          <h2>{currentLogin.value?.organization?.name}</h2>
          <Links parts={EVERYBODYS} here={name} />
        </nav>
        <div class="body" role="region" aria-label={title} key={name}>
          <Shown />
        </div>
      </div>
    </Page>
  );
}

const Links = ({ parts, here }: { parts: Part[]; here: string }) => (
  <>
    {parts.map(([path, name]) => (
      <a key={path} href={`/settings/${path}`} aria-current={path === here ? "page" : undefined}>
        {name}
      </a>
    ))}
  </>
);
