type Env = Readonly<Record<string, string | undefined>>

/** Access to a provider, and settings of the agents: what a container needs of the user's environment. */
const handedOn =
  /^(?:ANTHROPIC_|OPENAI_|OPENCODE_|CLAUDE_CODE_|DISABLE_|AWS_|GOOGLE_|VERTEX_|CLOUD_ML_|GIT_CONFIG_)|^(?:GIT_OPTIONAL_LOCKS|TZ|LANG|LC_ALL|(?:HTTPS?|NO|ALL)_PROXY)$/i

/** Names of the host's variables that go into a container: an allow-list, and what the directive `env` names. */
export const handedOnNames = (env: Env, named: readonly string[]): readonly string[] => {
  const own = named.map((each) => each.split('=', 1)[0] ?? each)
  const present = Object.keys(env).filter((name) => env[name] !== undefined && handedOn.test(name))
  return [...new Set([...present, ...own])].sort()
}

/** The values that the directive `env` sets itself: `NAME=value`. */
export const setVariables = (named: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    named.flatMap((each) => {
      const at = each.indexOf('=')
      return at === -1 ? [] : [[each.slice(0, at), each.slice(at + 1)]]
    }),
  )
