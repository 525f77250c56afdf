// Answers with a value that is nested too deep for a stack.
import { createInterface } from 'node:readline'

const deep = 200_000
for await (const _ of createInterface({ input: process.stdin }))
  console.log(`{"output":${'['.repeat(deep)}${']'.repeat(deep)}}`)
