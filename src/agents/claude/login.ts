import { execFile } from 'node:child_process'
import * as v from 'valibot'
import { withoutSessionMarkers } from './environment.ts'

const StatusSchema = v.looseObject({ loggedIn: v.boolean() })

/** With one of these Claude Code 2.1.332 says that it is logged in, whatever it holds. */
const keys = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN']

/**
 * Whether Claude Code has a key or a login, by its own word (`auth status`, 0.6 s on 2.1.332); undefined for a release
 * that does not know the command.
 */
export const isLoggedIn = (
  file: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean | undefined> => {
  if (keys.some((key) => env[key])) return Promise.resolve(true)
  return new Promise((resolve) => {
    const options = { cwd, env: withoutSessionMarkers(env), timeout: 10_000, windowsHide: true }
    const child = execFile(file, ['auth', 'status'], options, (_error, stdout) => resolve(readStatus(stdout)))
    child.stdin?.end()
  })
}

const readStatus = (stdout: string): boolean | undefined => {
  try {
    return v.parse(StatusSchema, JSON.parse(stdout)).loggedIn
  } catch {
    return undefined
  }
}
