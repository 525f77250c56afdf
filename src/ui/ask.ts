import { createInterface } from 'node:readline/promises'
import { exitCode, YokeError } from '../errors.ts'
import type { AskForTrust } from '../run/trust.ts'
import { printable } from './format.ts'

type Questions = {
  /** The answer to a question on the terminal, without white space around it. Throws `E_NO_ANSWER` (exit 130) at Ctrl+C and Ctrl+D. */
  readonly ask: (words: string) => Promise<string>
  readonly close: () => void
}

/** Asks on standard error or standard output of the terminal. */
export const openQuestions = (output: NodeJS.WriteStream): Questions => {
  const lines = createInterface({ input: process.stdin, output })
  let isAsking = false
  // A question that is open when the input ends is never answered.
  const ended = new Promise<never>((_, reject) =>
    lines.once('close', () => {
      if (isAsking) output.write('\n')
      reject(noAnswer())
    }),
  )
  ended.catch(() => {})
  lines.on('SIGINT', () => lines.close())
  return {
    ask: async (words) => {
      isAsking = true
      const answer = await Promise.race([ended, lines.question(words)])
      isAsking = false
      return answer.trim()
    },
    close: () => lines.close(),
  }
}

const noAnswer = () =>
  new YokeError(
    'E_NO_ANSWER',
    'The question was left without an answer, so nothing was done.',
    'Run the command again; what flags say is not asked.',
    exitCode.interrupted,
  )

/** Asks on the terminal; where there is none, nobody can agree. */
export const askOnTerminal: AskForTrust = async (grants) => {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  process.stderr.write('This project brings along directives that run programs or lift a guard:\n\n')
  for (const { key, value } of grants) process.stderr.write(`  ${key}: ${printable(value)}\n`)
  const questions = openQuestions(process.stderr)
  try {
    return /^y(es)?$/i.test(await questions.ask('\nTrust them in this folder? [y/N] '))
  } finally {
    questions.close()
  }
}
