import { useState } from "preact/hooks";
import { readOwn } from "../../../formats/own.ts";
import { callApi, type Reply } from "../../data/api.ts";
import { enter, farewell } from "../../data/session.ts";
import { navigate } from "../../shell/router.ts";
import { SignInCard, SignInForm } from "./card.tsx";

/** A sign-in that the server has begun at an organization's provider. */
type Begun = Reply<"POST /api/auth/oidc/start">;

const REFUSED: Record<string, string> = {
  denied: "You did not sign in at your company.",
  expired: "That took too long, or was begun in another browser. Try again.",
  provider: "Your company’s sign-in failed. An owner of the organization can see why in the server’s log.",
  unverified: "Your company has not verified your e-mail address.",
  domain: "Your e-mail address is of a domain that this organization does not let in.",
  group: "Your company has put you in no group that is let in here.",
  removed: "An owner has removed you from this organization. Ask for an invitation.",
  other_person: "You are known here under another account.",
  closed: "New accounts are not let in here. Ask an owner for an invitation.",
};

/** The reason for which the company's sign-in led nowhere. The address is anybody's, so that only known ones show. */
export const refusalOf = (reason: string): string => readOwn(REFUSED, reason) ?? "";

/** The place to come back to, where the address of the page names one. */
const here = (): string => {
  const path = location.pathname + location.search;
  return path.length <= 2_000 ? path : "/";
};

/** The way in by the company: by e-mail address or by the organization's address. */
export function Company({ back }: { back: () => void }) {
  const [begun, setBegun] = useState<Begun>();
  const begin = async ({ named = "" }: Record<string, string>) => {
    const who = named.includes("@") ? { email: named } : { organization: named.trim().toLowerCase() };
    setBegun(await callApi("POST /api/auth/oidc/start", { body: { ...who, returnTo: here() } }));
  };
  if (begun) return <Onward {...begun} back={() => setBegun(undefined)} />;
  return (
    <SignInCard title="Sign in with your company">
      <SignInForm
        fields={[
          { name: "named", label: "E-mail", autocomplete: "username", hint: "Or the URL name of your organization." },
        ]}
        action="Go on"
        submit={begin}
      >
        <button class="btn quiet" type="button" onClick={back}>
          Use a password
        </button>
      </SignInForm>
    </SignInCard>
  );
}

/** Names the host before the browser leaves: anybody may name a domain here as theirs. */
const Onward = ({ redirect, organization, host, back }: Begun & { back: () => void }) => (
  <SignInCard
    title={organization}
    lead={
      <>
        Its people sign in at <code>{host}</code>. Is that your company?
      </>
    }
  >
    <div class="row">
      <button class="btn" type="button" onClick={back}>
        No
      </button>
      <button class="btn pri" type="button" onClick={() => location.assign(redirect)}>
        Yes, go there
      </button>
    </div>
  </SignInCard>
);

/** The account's own password, once, for an account that was there before the company's sign-in. */
export const JoinAccount = ({ code, otherwise }: { code: string; otherwise: () => void }) => (
  <SignInCard
    title="Is this account yours?"
    lead="An account has the e-mail address that your company names. Enter its password once; from then on your company signs you in. If you did not create it, choose a new password by a link first."
  >
    <SignInForm
      fields={[{ name: "password", label: "Password", type: "password", autocomplete: "current-password" }]}
      action="Join them"
      submit={async ({ password }) => {
        const { returnTo } = await enter("POST /api/auth/oidc/confirm", { body: { code, password } });
        farewell.value = "";
        navigate(returnTo, { replace: true });
      }}
    >
      <button class="btn quiet" type="button" onClick={otherwise}>
        Sign in otherwise
      </button>
    </SignInForm>
  </SignInCard>
);
