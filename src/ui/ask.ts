import { createInterface } from 'node:readline/promises'
import type { AskForTrust } from '../run/trust.ts'
import { printable } from './format.ts'

/** Asks on the terminal; where there is none, nobody can agree. */
export const askOnTerminal: AskForTrust = async (grants) => {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  process.stderr.write('This project brings along directives that run programs or lift a guard:\n\n')
  for (const { key, value } of grants) process.stderr.write(`  ${key}: ${printable(value)}\n`)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await lines.question('\nTrust them in this folder? [y/N] ')
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}
