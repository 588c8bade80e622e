import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { currentLogin } from "../../data/session.ts";
import { Page } from "../../shell/page.tsx";
import { NotFoundPage } from "../plain.tsx";
import { AuditPart } from "./audit/audit.tsx";
import { ConnectionsPart } from "./connections.tsx";
import { IngestKeys, PersonalKeys } from "./keys.tsx";
import { LimitsPart } from "./limits.tsx";
import { MembersPart } from "./members.tsx";
import { NoticesPart } from "./notices/notices.tsx";
import { OrganizationPart } from "./organization.tsx";
import { PricesPart } from "./prices.tsx";
import { ProfilePart } from "./profile.tsx";
import { ProofPart } from "./proof/proof.tsx";
import { RedactionPart } from "./redaction.tsx";
import { RetentionPart } from "./retention/retention.tsx";
import { SignInPart } from "./sign-in.tsx";
import { WebhooksPart } from "./webhooks/webhooks.tsx";

type Part = [path: string, name: string, part: ComponentType];

const YOURS: Part[] = [
  ["profile", "Profile", ProfilePart],
  ["keys", "Personal keys", PersonalKeys],
  ["connections", "Connected apps", ConnectionsPart],
];
const EVERYBODYS: Part[] = [
  ["organization", "Organization", OrganizationPart],
  ["members", "Members", MembersPart],
  ["sign-in", "Company sign-in", SignInPart],
  ["ingest-keys", "Ingest keys", IngestKeys],
  ["redaction", "Redaction", RedactionPart],
  ["retention", "Retention", RetentionPart],
  ["notices", "Notices", NoticesPart],
  ["prices", "Prices", PricesPart],
  ["proof", "Proof", ProofPart],
  ["webhooks", "Webhooks", WebhooksPart],
  ["limits", "Limits", LimitsPart],
  ["audit", "Audit log", AuditPart],
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
