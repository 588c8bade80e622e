import { useEffect, useState } from "preact/hooks";
import { callApi } from "../../data/api.ts";
import { enter } from "../../data/session.ts";
import { SignInCard, SignInForm } from "./card.tsx";

/** Asks for a link by mail. The answer says nothing of whether there is such an account. */
export function ForgottenPassword({ back }: { back: () => void }) {
  const [email, setEmail] = useState("");
  if (email)
    return (
      <SignInCard
        title="Read your mail"
        lead={
          <>
            If there is an account for <b dir="auto">{email}</b>, a link is on its way. It counts once, within an hour.
          </>
        }
      >
        <button class="btn" type="button" onClick={back}>
          Back to sign-in
        </button>
      </SignInCard>
    );
  return (
    <SignInCard title="Choose a new password" lead="We mail you a link for it.">
      <SignInForm
        fields={[{ name: "email", label: "E-mail", type: "email", autocomplete: "username" }]}
        action="Mail me a link"
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

/** Question that decides what stays of an account whose address nobody has proved before. */
const Creator = () => (
  <fieldset class="field">
    <legend>Who created this account?</legend>
    <label class="row">
      <input type="radio" name="creator" value="me" required />I did: keep its keys, apps and organizations
    </label>
    <label class="row">
      <input type="radio" name="creator" value="other" required />
      Somebody else: remove its keys, apps and organizations
    </label>
  </fieldset>
);

interface NewPasswordProps {
  token: string;
  /** True for the first link of an account. */
  unproved: boolean;
  otherwise: () => void;
}

/** The new password, by a link from the mail. */
export function NewPassword({ token, unproved, otherwise }: NewPasswordProps) {
  useEffect(() => {
    // The link has no business in the address or in the history.
    history.replaceState(null, "", "/");
  }, []);
  const [kept] = useState({ token, unproved });
  return (
    <SignInCard title="Choose a new password" lead="It ends every other login of your account.">
      <SignInForm
        fields={[
          {
            ...{ name: "password", label: "Password", type: "password" as const, autocomplete: "new-password" },
            hint: "8 characters at least.",
          },
        ]}
        action="Sign in"
        more={kept.unproved && <Creator />}
        submit={(values: Record<string, string>) => {
          const { password = "", creator } = values;
          const body = { token: kept.token, password, ...(kept.unproved && { keepAccess: creator === "me" }) };
          return enter("POST /api/auth/password-reset/confirm", { body });
        }}
      >
        <button class="btn quiet" type="button" onClick={otherwise}>
          Ask for another link
        </button>
      </SignInForm>
    </SignInCard>
  );
}
