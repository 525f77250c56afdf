import type { Tokens } from '../agents/agent.ts'

export const noTokens: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export const addTokens = (a: Tokens, b: Tokens): Tokens => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
})

/** Tokens that went in, cached or not. */
export const tokensIn = ({ input, cacheRead, cacheWrite }: Tokens): number => input + cacheRead + cacheWrite
