// Answers with what a terminal obeys, and with what has no place in XML.
import { createInterface } from 'node:readline'

let cases = 0
for await (const _ of createInterface({ input: process.stdin })) {
  cases += 1
  console.log(cases % 2 ? '\u001b[31mred\uffff' : '{"output":{"slug":"\\u001b[31mred\\ufffe\uffff"}}')
}
