// Writes a line that does not end.
import { createInterface } from 'node:readline'

for await (const _ of createInterface({ input: process.stdin })) {
  const write = () => process.stdout.write(Buffer.alloc(1 << 20, 'x'), write)
  write()
}
