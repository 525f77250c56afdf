// Reports that it failed, which is not a refusal.
import { createInterface } from 'node:readline'

for await (const _ of createInterface({ input: process.stdin })) console.log('{"error":"division by zero"}')
