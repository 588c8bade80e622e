import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../../data/api.ts";
import {
  canEmailPasswordLinks,
  currentLogin,
  signInWithEndpoint,
  signOut,
  signOutReason,
  signUpMode,
  switchOrganization,
} from "../../data/session.ts";
import { navigate } from "../../shell/router.ts";
import { SignInCard, SignInForm } from "./card.tsx";
import { CompanySignInForm, formatRefusalMessage, LinkAccountForm } from "./company.tsx";
import { ForgottenPasswordForm, NewPasswordForm } from "./password.tsx";

const EMAIL = { name: "email", label: "Email", type: "email", autocomplete: "username" } as const;
const PASSWORD = { name: "password", label: "Password", type: "password", autocomplete: "current-password" } as const;
const NEW_PASSWORD = { ...PASSWORD, autocomplete: "new-password", hint: "At least 8 characters." };
const NAME = { name: "name", label: "Your name", autocomplete: "name" } as const;

const TO_DECIDE = "An app asks to act on your behalf. Sign in to see the app and decide.";

/** Reads a value from the fragment of the URL, such as the code in a sign-in link. */
const readFragment = (name: string): string => new URLSearchParams(location.hash.slice(1)).get(name) ?? "";

type Way = "sign-in" | "sign-up" | "company" | "forgotten" | "welcome" | "invitation" | "confirm" | "reset";

const wayOfLink = (): Way =>
  (["welcome", "invitation", "confirm", "reset"] as const).find((name) => readFragment(name) !== "") ?? "sign-in";

/**
 * Page for a user who is not signed in. A link such as an invitation decides how the user signs in. Without a link, the
 * user chooses how to sign in.
 * @param asked true if an app requests consent. A link from an app must not sign the user in, because an attacker could
 * otherwise make a user decide with the attacker's account.
 */
export default function SignInPage({ asked }: { asked: boolean }) {
  const [way, setWay] = useState<Way>(asked ? "sign-in" : wayOfLink);
  const back = () => setWay("sign-in");
  if (way === "welcome") return <Welcome otherwise={back} />;
  if (way === "invitation") return <Invitation />;
  if (way === "confirm") return <LinkAccountForm code={readFragment("confirm")} otherwise={back} />;
  if (way === "reset") {
    const unproved = readFragment("unproved") !== "";
    return <NewPasswordForm token={readFragment("reset")} unproved={unproved} otherwise={() => setWay("forgotten")} />;
  }
  if (way === "forgotten") return <ForgottenPasswordForm back={back} />;
  if (way === "sign-up") return <SignUp back={back} />;
  if (way === "company") return <CompanySignInForm back={back} />;
  const forgotten = (
    <button class="plain link" type="button" onClick={() => setWay("forgotten")}>
      Forgot your password?
    </button>
  );
  return (
    <SignInCard
      title="Sign in"
      lead={signOutReason.value || formatRefusalMessage(readFragment("refused")) || (asked && TO_DECIDE)}
    >
      <button class="btn pri" type="button" onClick={() => setWay("company")}>
        Continue with your company
      </button>
      <p class="or">or with a password</p>
      <SignInForm
        fields={[EMAIL, { ...PASSWORD, aside: canEmailPasswordLinks.value && forgotten }]}
        action="Sign in"
        second
        submit={(body) => signInWithEndpoint("POST /api/auth/login", { body })}
      >
        {signUpMode.value === "open" && (
          <button class="btn quiet" type="button" onClick={() => setWay("sign-up")}>
            Create an account
          </button>
        )}
      </SignInForm>
    </SignInCard>
  );
}

/** Handles a link from the operator. Signs the user in immediately, or after the user has chosen a first password. */
function Welcome({ otherwise }: { otherwise: () => void }) {
  const [code] = useState(() => readFragment("welcome"));
  const [choosing, choose] = useState(false);
  useEffect(() => {
    // Removes the code from the URL and the history, even if the code has already been used.
    history.replaceState(null, "", "/");
    signInWithEndpoint("POST /api/auth/welcome", { body: { code } }).catch((error: ApiError) => {
      if (error.code === "password_needed") return choose(true);
      signOutReason.value = error.message;
      otherwise();
    });
  }, []);
  if (!choosing) return <SignInCard title="Signing you in" lead="One moment." />;
  return (
    <SignInCard title="Choose a password" lead="You will sign in with your email address and this password.">
      <SignInForm
        fields={[NEW_PASSWORD]}
        action="Sign in"
        submit={({ password }) => signInWithEndpoint("POST /api/auth/welcome", { body: { code, password } })}
      />
    </SignInCard>
  );
}

const SignUp = ({ back }: { back: () => void }) => (
  <SignInCard title="Create an account">
    <SignInForm
      fields={[NAME, EMAIL, NEW_PASSWORD]}
      action="Create account"
      submit={(body) => signInWithEndpoint("POST /api/auth/signup", { body })}
    >
      <button class="btn quiet" type="button" onClick={back}>
        I already have an account
      </button>
    </SignInForm>
  </SignInCard>
);

const Invitation = () => (
  <SignInCard title="Accept the invitation" lead="The invitation is valid for the email address that received it.">
    <SignInForm
      fields={[NAME, NEW_PASSWORD]}
      action="Join"
      submit={async (values) => {
        await signInWithEndpoint("POST /api/invitations/accept", {
          body: { token: readFragment("invitation"), ...values },
        });
        navigate("/", { replace: true });
      }}
    />
  </SignInCard>
);

/** Page for a signed-in user without an organization. */
export const NewOrganizationPage = () => (
  <SignInCard
    title="Name your organization"
    lead={`${signOutReason.value} Signed in as ${currentLogin.value?.user.email}.`.trim()}
  >
    <SignInForm
      fields={[
        { name: "name", label: "Name" },
        { name: "urlKey", label: "URL name", hint: "a–z, 0–9 and -" },
      ]}
      action="Create"
      submit={(body) => switchOrganization("POST /api/organization", { body })}
    >
      <button class="btn quiet" type="button" onClick={() => void signOut()}>
        Sign in another way
      </button>
    </SignInForm>
  </SignInCard>
);
