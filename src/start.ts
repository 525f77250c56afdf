// The program starts here. Asked for its version it loads nothing else, not even `process.stdout`, which alone takes longer
// than the whole answer.
import { versionLine } from './version.ts'

const [first, second, ...more] = process.argv.slice(2)
if (first !== '--version' && first !== '-v' && first !== '-V') await import('./main.ts')
else if (second === '--json' && more.length === 0) {
  const { versionReport } = await import('./version-report.ts')
  console.log(JSON.stringify(await versionReport()))
} else console.log(versionLine)
