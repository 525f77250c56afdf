// Answers every case alike, so all but one are wrong.
import { createInterface } from 'node:readline'

for await (const _ of createInterface({ input: process.stdin }))
  console.log('{"output":{"slug":"-work-main"}}')
