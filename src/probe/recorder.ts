import { appendFileSync } from 'node:fs'
import type { Usage } from './reply-message.ts'

export type RecordedRequest = {
  /** ISO 8601. */
  readonly at: string
  /** A role of the scenario, `other`, or undefined where no model was asked. */
  readonly role?: string
  /** From 0. */
  readonly turn?: number
  /** Index of the reply within its turn, from 0. */
  readonly reply?: number
  readonly session?: string
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

/** `log` is a JSONL file that every request is appended to before it is answered. */
export const createRecorder = (log: string | undefined, keepBodies: boolean): Recorder => {
  const requests: RecordedRequest[] = []
  return {
    requests,
    add: (request) => {
      if (log !== undefined) appendFileSync(log, `${JSON.stringify(request)}\n`, { mode: 0o600 })
      const { body, ...rest } = request
      requests.push(keepBodies ? { ...rest, body } : rest)
    },
  }
}
