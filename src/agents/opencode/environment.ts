import { without } from '../environment.ts'

/** What OpenCode 1.18.33 was seen to leave in the environment of the commands that it runs, beside what it was given itself. */
const sessionMarkers: Readonly<Record<string, string>> = {
  OPENCODE: 'says that OpenCode runs around yoke',
  OPENCODE_PID: 'its process',
  OPENCODE_RUN_ID: 'its run',
  OPENCODE_PROCESS_ROLE: 'as above',
  OPENCODE_CLIENT: 'names the interface around yoke; another one changes the tools that are offered',
  OPENCODE_PRINT_LOGS: 'its flag',
  OPENCODE_LOG_LEVEL: 'as above',
  AGENT: 'says that an agent runs around yoke',
}

/**
 * The environment for a child that is started in `cwd`: that of yoke without the marks of a session that yoke itself was started
 * from. OpenCode works where `PWD` says, whatever its working directory is (1.18.33): yoke's own may name another folder.
 */
export const environmentIn = (
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> => without({ ...env, PWD: cwd }, sessionMarkers)

/** A variable that holds a JSON object; one that is missing or damaged counts as empty. */
export const jsonVariable = (text: string | undefined): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : {}
  } catch {
    return {}
  }
}
