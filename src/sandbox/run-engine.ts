import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

type Env = Readonly<Record<string, string | undefined>>

const patienceMs = 30_000

/** Asks the client of an engine, and resolves to what it prints. Rejects when it fails, or takes too long. */
export const askEngine = async (
  file: string,
  args: readonly string[],
  env: Env,
  timeoutMs = patienceMs,
): Promise<string> => {
  const { stdout } = await promisify(execFile)(file, args, {
    env: { ...env },
    timeout: timeoutMs,
    maxBuffer: 16 * 1024 * 1024,
  })
  return stdout
}

/** What an engine said when it failed, in one line without its end. */
export const complaintOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if ('killed' in error && error.killed === true) return 'it took too long to answer'
  const text = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : error.message
  return complaintIn(text) || error.message
}

/** The line that tells what is wrong: warnings come before it, hints and a list of options behind it. */
export const complaintIn = (text: string): string => {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:WARNING|Usage|See|Run|Using default tag)\b/.test(line))
  const line = lines.find((each) =>
    /error|invalid|denied|cannot|failed|not found|no such|unknown/i.test(each),
  )
  return (line ?? lines.at(-1) ?? '').replace(/^docker: |\.$/g, '')
}
