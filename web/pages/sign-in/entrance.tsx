import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../../data/api.ts";
import { enter, enterOrganization, farewell, mailsLinks, session, signOut, signUpMode } from "../../data/session.ts";
import { navigate } from "../../shell/router.ts";
import { SignInCard, SignInForm } from "./card.tsx";
import { Company, JoinAccount, refusalOf } from "./company.tsx";
import { ForgottenPassword, NewPassword } from "./password.tsx";

const EMAIL = { name: "email", label: "E-mail", type: "email", autocomplete: "username" } as const;
const PASSWORD = { name: "password", label: "Password", type: "password", autocomplete: "current-password" } as const;
const NEW_PASSWORD = { ...PASSWORD, autocomplete: "new-password", hint: "8 characters at least." };
const NAME = { name: "name", label: "Your name", autocomplete: "name" } as const;

const TO_DECIDE = "A program asks to act for you. Sign in to see which, and to decide.";

/** A part of the address behind `#`, such as the code of a link. */
const fragment = (name: string): string => new URLSearchParams(location.hash.slice(1)).get(name) ?? "";

type Way = "sign-in" | "sign-up" | "company" | "forgotten" | "welcome" | "invitation" | "confirm" | "reset";

const wayOfLink = (): Way =>
  (["welcome", "invitation", "confirm", "reset"] as const).find((name) => fragment(name) !== "") ?? "sign-in";

/**
 * The page of somebody who is not signed in: the way in that the link names, or a choice.
 * @param asked whether a program asks. Its link signs nobody in, or a stranger could have his own account decided with.
 */
export default function Entrance({ asked }: { asked: boolean }) {
  const [way, setWay] = useState<Way>(asked ? "sign-in" : wayOfLink);
  const back = () => setWay("sign-in");
  if (way === "welcome") return <Welcome otherwise={back} />;
  if (way === "invitation") return <Invitation />;
  if (way === "confirm") return <JoinAccount code={fragment("confirm")} otherwise={back} />;
  if (way === "reset") {
    const unproved = fragment("unproved") !== "";
    return <NewPassword token={fragment("reset")} unproved={unproved} otherwise={() => setWay("forgotten")} />;
  }
  if (way === "forgotten") return <ForgottenPassword back={back} />;
  if (way === "sign-up") return <SignUp back={back} />;
  if (way === "company") return <Company back={back} />;
  const forgotten = (
    <button class="plain link" type="button" onClick={() => setWay("forgotten")}>
      Forgot your password?
    </button>
  );
  return (
    <SignInCard title="Sign in" lead={farewell.value || refusalOf(fragment("refused")) || (asked && TO_DECIDE)}>
      <button class="btn pri" type="button" onClick={() => setWay("company")}>
        Continue with your company
      </button>
      <p class="or">or with a password</p>
      <SignInForm
        fields={[EMAIL, { ...PASSWORD, aside: mailsLinks.value && forgotten }]}
        action="Sign in"
        second
        submit={(body) => enter("POST /api/auth/login", { body })}
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

/** A link of the operator's: it signs in by itself, or once a first password is chosen. */
function Welcome({ otherwise }: { otherwise: () => void }) {
  const [code] = useState(() => fragment("welcome"));
  const [choosing, choose] = useState(false);
  useEffect(() => {
    // Spent or not, the code has no business in the address or in the history.
    history.replaceState(null, "", "/");
    enter("POST /api/auth/welcome", { body: { code } }).catch((error: ApiError) => {
      if (error.code === "password_needed") return choose(true);
      farewell.value = error.message;
      otherwise();
    });
  }, []);
  if (!choosing) return <SignInCard title="Signing you in" lead="One moment." />;
  return (
    <SignInCard title="Choose a password" lead="With it and your e-mail address you sign in from now on.">
      <SignInForm
        fields={[NEW_PASSWORD]}
        action="Sign in"
        submit={({ password }) => enter("POST /api/auth/welcome", { body: { code, password } })}
      />
    </SignInCard>
  );
}

const SignUp = ({ back }: { back: () => void }) => (
  <SignInCard title="Create an account">
    <SignInForm
      fields={[NAME, EMAIL, NEW_PASSWORD]}
      action="Create account"
      submit={(body) => enter("POST /api/auth/signup", { body })}
    >
      <button class="btn quiet" type="button" onClick={back}>
        I have an account
      </button>
    </SignInForm>
  </SignInCard>
);

const Invitation = () => (
  <SignInCard title="Accept the invitation" lead="It is for the address it was sent to.">
    <SignInForm
      fields={[NAME, NEW_PASSWORD]}
      action="Join"
      submit={async (values) => {
        await enter("POST /api/invitations/accept", { body: { token: fragment("invitation"), ...values } });
        navigate("/", { replace: true });
      }}
    />
  </SignInCard>
);

/** Somebody is signed in who belongs to no organization yet. */
export const NewOrganization = () => (
  <SignInCard
    title="Name your organization"
    lead={`${farewell.value} Signed in as ${session.value?.user.email}.`.trim()}
  >
    <SignInForm
      fields={[
        { name: "name", label: "Name" },
        { name: "urlKey", label: "URL name", hint: "a–z, 0–9 and -" },
      ]}
      action="Create"
      submit={(body) => enterOrganization("POST /api/organization", { body })}
    >
      <button class="btn quiet" type="button" onClick={() => void signOut()}>
        Sign in otherwise
      </button>
    </SignInForm>
  </SignInCard>
);
