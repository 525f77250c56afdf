import type { Ending } from './agent.ts'

/** How the process ended, for people. */
export const howItEnded = ({ endedBy, exit, signal, retrying, results }: Ending): string => {
  if (endedBy === 'iteration-timeout' || endedBy === 'idle-timeout')
    return `${endedBy === 'idle-timeout' ? 'The agent was silent for too long' : 'The iteration took too long'}${retrying === undefined ? '' : `; it was retrying a failed request (${retrying})`}`
  if (endedBy === 'abort') return 'Ended by yoke'
  if (endedBy === 'budget') return 'The budget of the run is spent'
  if (signal !== null) return `Killed by ${signal}`
  return `Exit code ${exit}${results.length === 0 ? ' without a result' : ''}`
}

const longestEvidence = 400

/** One line for people. A crash prints minified source and a stack around the line that tells what happened. */
export const evidence = (message: string): string => {
  const lines = message.split('\n').filter((each) => each.length <= longestEvidence && !/^\s+at\s/.test(each))
  const from = lines.findIndex((each) => /\b\w*(?:error|fatal|panic)\b/i.test(each))
  const telling = lines.slice(Math.max(0, from)).join(' ')
  const line = (telling.trim() === '' ? message : telling).replace(/\s+/g, ' ').trim()
  return line.length > longestEvidence ? `${line.slice(0, longestEvidence - 1)}…` : line
}
