import { join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/**
 * What a program needs of its surroundings. All else stays out: keys, proxies, settings of agents and the marks of an agent
 * session would send the CLI elsewhere than to the loopback server.
 */
const inherited =
  /^(?:PATH|PATHEXT|LANG|LC_\w+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|TMPDIR|TEMP|TMP|USER|LOGNAME|SHELL|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|LD_LIBRARY_PATH|YOKE_\w+)$/i

/**
 * The environment variables that point a CLI (Claude Code, OpenCode) at the server: a key that is none, telemetry and updates
 * off, in its own home. Of `base` only what every program needs is handed on.
 */
export const probeEnvironment = (options: {
  readonly url: string
  readonly home: string
  readonly base?: Env
}): Record<string, string> => {
  const { url, home, base = {} } = options
  return {
    ...Object.fromEntries(
      Object.entries(base).filter(
        (entry): entry is [string, string] => entry[1] !== undefined && inherited.test(entry[0]),
      ),
    ),
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    NO_PROXY: '127.0.0.1',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-dummy',
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    /** As root, Claude Code takes `bypassPermissions` only in a sandbox. */
    IS_SANDBOX: '1',
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      provider: { anthropic: { options: { baseURL: `${url}/v1` } } },
      autoupdate: false,
      share: 'disabled',
    }),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_SHARE: '1',
    /** Releases before 1.2 fetch plugins from npm at their start. */
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }
}
