import { type ParseError, parse } from 'jsonc-parser'
import { exitCode, YokeError } from '../../errors.ts'
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

/**
 * A variable that holds a JSON object; one that is not set is empty. OpenCode takes comments and trailing commas in its configuration (1.18.33),
 * and passes over rules that it cannot read. Throws `E_AGENT_CONFIG`: what the user forbids must not be lost.
 */
export const jsonVariable = (
  env: Readonly<Record<string, string | undefined>>,
  name: 'OPENCODE_CONFIG_CONTENT' | 'OPENCODE_PERMISSION',
): Readonly<Record<string, unknown>> => {
  const text = env[name] || '{}'
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  if (errors.length === 0 && typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>
  throw new YokeError(
    'E_AGENT_CONFIG',
    `The variable \`${name}\` holds no JSON object.`,
    'Correct it, or unset it.',
    exitCode.usage,
  )
}
