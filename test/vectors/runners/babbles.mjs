// Writes a line too many for each case.
import { createInterface } from 'node:readline'

for await (const _ of createInterface({ input: process.stdin }))
  process.stdout.write('{"output":{"slug":"-work-main"}}\n{"output":{"slug":"-work-main"}}\n')
