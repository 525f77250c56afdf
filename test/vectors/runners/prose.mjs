// Talks.
import { createInterface } from 'node:readline'

for await (const _ of createInterface({ input: process.stdin })) console.log('Hello!')
