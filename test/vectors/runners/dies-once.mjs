// Dies at its second case in its first life; lives on in the second one. The argument names a file that tells the lives apart.
import { existsSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const file = process.argv[2]
const isFirstLife = !existsSync(file)
writeFileSync(file, 'born')
let cases = 0
for await (const _ of createInterface({ input: process.stdin })) {
  cases += 1
  if (isFirstLife && cases === 2) {
    console.error('out of luck')
    process.exit(3)
  }
  console.log('{"output":{"slug":"-work-main"}}')
}
