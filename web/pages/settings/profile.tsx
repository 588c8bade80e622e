import { currentLogin, signOut } from "../../data/session.ts";
import { areSingleKeysEnabled, setSingleKeys } from "../../shell/keys.ts";
import { SettingsIntro } from "./parts.tsx";

/** Profile of the signed-in user. */
export const ProfilePart = () => {
  const who = currentLogin.value;
  return (
    <>
      <SettingsIntro
        title="Profile"
        action={
          <button class="btn" type="button" onClick={signOut}>
            Sign out of this browser
          </button>
        }
      >
        Your profile in {who?.organization?.name}.
      </SettingsIntro>
      <dl class="kv">
        <dt>Name</dt>
        <dd>
          <bdi>{who?.user.name}</bdi>
        </dd>
        <dt>Email</dt>
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
          checked={areSingleKeysEnabled.value}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
        Use single-key shortcuts, such as J and K, in this browser
      </label>
    </>
  );
};
