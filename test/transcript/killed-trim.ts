import { trim } from '../../src/transcript/trim.ts'

// Trims as told by the first argument and ends without a word when it comes to the step in the second one.
const [request = '{}', step] = process.argv.slice(2)
await trim({
  ...JSON.parse(request),
  onStep: (reached) => {
    if (reached === step) process.kill(process.pid, 'SIGKILL')
  },
})
