// Never answers, ignores the gentle signal, and has a child that does the same. The argument names a file for the pids.
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'

process.on('SIGTERM', () => {})
appendFileSync(process.argv[2], `${process.pid}\n`)
if (process.argv[3] !== 'child') spawn(process.execPath, [process.argv[1], process.argv[2], 'child'])
setInterval(() => {}, 1000)
