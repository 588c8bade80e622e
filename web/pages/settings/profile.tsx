import { session, signOut } from "../../data/session.ts";
import { setSingleKeys, singleKeys } from "../../shell/keys.ts";
import { Intro } from "./parts.tsx";

/** The person who is signed in. */
export const ProfilePart = () => {
  const who = session.value;
  return (
    <>
      <Intro
        title="Profile"
        action={
          <button class="btn" type="button" onClick={signOut}>
            Sign out here
          </button>
        }
      >
        Who you are in {who?.organization?.name}.
      </Intro>
      <dl class="kv">
        <dt>Name</dt>
        <dd>
          <bdi>{who?.user.name}</bdi>
        </dd>
        <dt>E-mail</dt>
        <dd>
          <bdi>{who?.user.email}</bdi>
        </dd>
        <dt>Role</dt>
        <dd>{who?.organization?.role}</dd>
      </dl>
      <nav class="only-thin row" aria-label="More pages">
        <a class="btn" href="/users">
          Users
        </a>
        <a class="btn" href="/connect">
          Connect an agent
        </a>
      </nav>
      <label class="row">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
        Single-key shortcuts, such as J and K, are on in this browser
      </label>
    </>
  );
};
