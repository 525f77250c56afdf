import { appendFileSync } from 'node:fs'
import type { Usage } from './reply-message.ts'
import type { Place } from './scripted-model.ts'

/** A request without a role did not ask the model. */
export type RecordedRequest = Partial<Place> & {
  /** ISO 8601. */
  readonly at: string
  readonly method: string
  /** With the query. */
  readonly path: string
  /** Without the values of credentials. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed; a text when it is no JSON. Left out when bodies are only in the log. */
  readonly body?: unknown
  /** Of the reply. */
  readonly status: number
  readonly usage?: Usage
}

const credentials = ['authorization', 'x-api-key', 'cookie', 'proxy-authorization']

export const withoutCredentials = (
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, credentials.includes(name) ? '[redacted]' : value]),
  )

export type Recorder = {
  readonly requests: readonly RecordedRequest[]
  readonly add: (request: RecordedRequest) => void
}

/** `log` is a JSONL file that every request is appended to before it is answered. Throws when it cannot be written. */
export const createRecorder = (log: string | undefined, keepBodies: boolean): Recorder => {
  const requests: RecordedRequest[] = []
  const append = (text: string) => log !== undefined && appendFileSync(log, text, { mode: 0o600 })
  append('')
  return {
    requests,
    add: (request) => {
      append(`${JSON.stringify(request)}\n`)
      const { body: _, ...rest } = request
      requests.push(keepBodies ? request : rest)
    },
  }
}
