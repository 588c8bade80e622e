import { useEffect, useState } from "preact/hooks";
import { callApi } from "../../data/api.ts";
import { signInWithEndpoint } from "../../data/session.ts";
import { SignInCard, SignInForm } from "./card.tsx";

/** Requests a link by email. The page does not reveal whether the account exists. */
export function ForgottenPasswordForm({ back }: { back: () => void }) {
  const [email, setEmail] = useState("");
  if (email)
    return (
      <SignInCard
        title="Check your email"
        lead={
          <>
            If an account exists for <b dir="auto">{email}</b>, you will receive an email with a link. The link works
            once and expires after one hour.
          </>
        }
      >
        <button class="btn" type="button" onClick={back}>
          Back to sign-in
        </button>
      </SignInCard>
    );
  return (
    <SignInCard title="Choose a new password" lead="Trackway sends you a link by email.">
      <SignInForm
        fields={[{ name: "email", label: "Email", type: "email", autocomplete: "username" }]}
        action="Send link"
        submit={async ({ email: asked }) => {
          await callApi("POST /api/auth/password-reset", { body: { email: asked } });
          setEmail(asked);
        }}
      >
        <button class="btn quiet" type="button" onClick={back}>
          Back to sign-in
        </button>
      </SignInForm>
    </SignInCard>
  );
}

/**
 * Asks who created the account. If the account's email address was never verified, the response decides whether the
 * keys, apps and organizations of the account stay.
 */
const Creator = () => (
  <fieldset class="field">
    <legend>Who created this account?</legend>
    <label class="row">
      <input type="radio" name="creator" value="me" required />I did. Keep the keys, apps and organizations of the
      account.
    </label>
    <label class="row">
      <input type="radio" name="creator" value="other" required />
      Somebody else did. Remove the keys, apps and organizations of the account.
    </label>
  </fieldset>
);

interface NewPasswordProps {
  token: string;
  /** True if the email address of the account is not verified yet. The page then asks who created the account. */
  unproved: boolean;
  otherwise: () => void;
}

/** Form for a new password, opened from the link in the email. */
export function NewPasswordForm({ token, unproved, otherwise }: NewPasswordProps) {
  useEffect(() => {
    // Removes the link from the address and the history.
    history.replaceState(null, "", "/");
  }, []);
  const [kept] = useState({ token, unproved });
  return (
    <SignInCard title="Choose a new password" lead="This signs out all other logins of your account.">
      <SignInForm
        fields={[
          {
            ...{ name: "password", label: "Password", type: "password" as const, autocomplete: "new-password" },
            hint: "At least 8 characters.",
          },
        ]}
        action="Sign in"
        more={kept.unproved && <Creator />}
        submit={(values: Record<string, string>) => {
          const { password = "", creator } = values;
          const body = { token: kept.token, password, ...(kept.unproved && { keepAccess: creator === "me" }) };
          return signInWithEndpoint("POST /api/auth/password-reset/confirm", { body });
        }}
      >
        <button class="btn quiet" type="button" onClick={otherwise}>
          Ask for another link
        </button>
      </SignInForm>
    </SignInCard>
  );
}
