import { useState } from "preact/hooks";
import { getOwnProperty } from "../../../formats/own.ts";
import { callApi, type EndpointReply } from "../../data/api.ts";
import { signInWithEndpoint, signOutReason } from "../../data/session.ts";
import { navigate } from "../../shell/router.ts";
import { SignInCard, SignInForm } from "./card.tsx";

/**
 * Response of the server that begins a company sign-in: the organization, and the host and the URL of the
 * organization's provider.
 */
type Begun = EndpointReply<"POST /api/auth/oidc/start">;

const REFUSED: Record<string, string> = {
  denied: "You did not complete the company sign-in.",
  expired: "The sign-in expired, or was started in another browser. Try again.",
  provider: "The company sign-in failed. The log of the server contains the reason.",
  unverified: "Your company has not verified your email address.",
  domain: "This organization does not accept the domain of your email address.",
  group: "You are not in a company group that may sign in to this organization.",
  removed: "An owner removed you from this organization. Ask an owner for an invitation.",
  other_person: "You already have another account in this organization.",
  closed: "You need an invitation to create an account here. Ask an owner of the organization.",
};

/**
 * Returns the message for a failed company sign-in. Anyone can create a URL with any reason, so the page shows messages
 * only for known reasons.
 */
export const formatRefusalMessage = (reason: string): string => getOwnProperty(REFUSED, reason) ?? "";

/** Returns the path to return to after the sign-in. Returns `/` instead of a path that is too long. */
const readReturnPath = (): string => {
  const path = location.pathname + location.search;
  return path.length <= 2_000 ? path : "/";
};

/** Form that starts a company sign-in. The user enters an email address or the URL name of the organization. */
export function CompanySignInForm({ back }: { back: () => void }) {
  const [begun, setBegun] = useState<Begun>();
  const begin = async ({ named = "" }: Record<string, string>) => {
    const who = named.includes("@") ? { email: named } : { organization: named.trim().toLowerCase() };
    setBegun(await callApi("POST /api/auth/oidc/start", { body: { ...who, returnTo: readReturnPath() } }));
  };
  if (begun) return <Onward {...begun} back={() => setBegun(undefined)} />;
  return (
    <SignInCard title="Sign in with your company">
      <SignInForm
        fields={[
          {
            name: "named",
            label: "Email",
            autocomplete: "username",
            hint: "You can also enter the URL name of your organization.",
          },
        ]}
        action="Continue"
        submit={begin}
      >
        <button class="btn quiet" type="button" onClick={back}>
          Use a password
        </button>
      </SignInForm>
    </SignInCard>
  );
}

/**
 * Shows the host of the provider before the redirect, so that the user can check the host. Any organization can claim
 * any domain on this server.
 */
const Onward = ({ redirect, organization, host, back }: Begun & { back: () => void }) => (
  <SignInCard
    title={organization}
    lead={
      <>
        This organization signs in at <code>{host}</code>. Is this the sign-in page of your company?
      </>
    }
  >
    <div class="row">
      <button class="btn" type="button" onClick={back}>
        No
      </button>
      <button class="btn pri" type="button" onClick={() => location.assign(redirect)}>
        Yes, continue
      </button>
    </div>
  </SignInCard>
);

/** Asks once for the password of an account that existed before the company sign-in. */
export const LinkAccountForm = ({ code, otherwise }: { code: string; otherwise: () => void }) => (
  <SignInCard
    title="Is this account yours?"
    lead="An account with your company email address already exists. Enter the password of the account once. After that, you sign in with your company. If you did not create the account, reset its password first."
  >
    <SignInForm
      fields={[{ name: "password", label: "Password", type: "password", autocomplete: "current-password" }]}
      action="Link the account"
      submit={async ({ password }) => {
        const { returnTo } = await signInWithEndpoint("POST /api/auth/oidc/confirm", { body: { code, password } });
        signOutReason.value = "";
        navigate(returnTo, { replace: true });
      }}
    >
      <button class="btn quiet" type="button" onClick={otherwise}>
        Sign in another way
      </button>
    </SignInForm>
  </SignInCard>
);
